"""Uploads through signed addresses: exactly what was announced, once, in time."""

import asyncio
import hashlib
from urllib.parse import urlsplit

import pytest

from domain.ids import stream_id
from entrypoints.http.errors import BodyTooSlow
from entrypoints.http.ingest import uploads

BODY = b"weights" * 300_000
DIGEST = hashlib.sha256(BODY).hexdigest()


def asked(job, **changes):
    wanted = {"kind": "checkpoint", "filename": "model.bin", "size_bytes": len(BODY), "sha256": DIGEST, **changes}
    return job.post("artifact/upload-url", **wanted)


def upload(job, permitted, body=BODY, url=None, **headers):
    parts = urlsplit(url or permitted["upload_url"])
    sent = {name: value for name, value in {**permitted["headers"], **headers}.items() if value is not None}
    return job.server.client.put(f"{parts.path}?{parts.query}", content=body, headers=sent)


def kept(job):
    store = job.server.container.file_store()
    return {one.key: store.get(one.key) for one in store.keys(f"artifacts/{job.env_key}")}


@pytest.fixture(scope="module")
def container(container):
    """Bodies are files, as uploads are."""
    container.bodies.override(container.file_store)
    return container


@pytest.fixture(autouse=True)
def own_folder(job):
    job.env_key = stream_id(job.run_id).hex


def test_an_artifact_is_uploaded_once_and_its_path_registered(job, stored):
    answer = asked(job, step=3, content_type="application/zip")
    assert answer.status_code == 200, answer.text
    permitted = answer.json()
    assert permitted["method"] == "PUT"
    assert permitted["expires_at"].endswith("Z")
    assert permitted["upload_url"].startswith("http://127.0.0.1:8420/api/uploads/artifacts/")
    assert stored() == []
    assert upload(job, permitted).status_code == 201
    assert kept(job) == {permitted["path"]: BODY}
    again = upload(job, permitted)
    assert (again.status_code, again.headers["content-type"]) == (412, "application/problem+json")
    said = {"kind": "checkpoint", "path": permitted["path"], "format": "bin", "size_bytes": len(BODY)}
    assert job.post("artifact", **said).json()["accepted"] == 1
    assert asked(job).json()["uploaded"]


def test_an_artifact_counts_only_once_its_bytes_are_there(job, stored):
    permitted = asked(job).json()
    assert permitted["uploaded"] is False
    said = {"kind": "checkpoint", "path": permitted["path"], "format": "bin"}
    early = job.post("artifact", **said)
    assert (early.status_code, early.json()["errors"][0]["path"]) == (422, "path")
    assert stored() == []
    assert upload(job, permitted).status_code == 201
    assert asked(job).json()["uploaded"] is True
    wrong = job.post("artifact", **said, size_bytes=len(BODY) + 1)
    assert (wrong.status_code, wrong.json()["errors"][0]["path"]) == (422, "size_bytes")
    assert job.post("artifact", **said).json()["accepted"] == 1
    assert job.post("artifact", **said).json()["duplicates"] == 1


def test_no_token_is_needed_for_the_put_and_none_opens_it(job):
    permitted = asked(job).json()
    parts = urlsplit(permitted["upload_url"])
    headers = {**permitted["headers"], "X-TunePlane-Token": job.token}
    bare = job.server.client.put(f"{parts.path}?expires=9999999999&signature=x", content=BODY, headers=headers)
    assert bare.status_code == 403
    missing = job.server.client.put(parts.path, content=BODY, headers=headers)
    assert missing.status_code in {400, 422}
    assert kept(job) == {}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"X-TunePlane-SHA256": "0" * 64}, 403),
        ({"X-TunePlane-SHA256": None}, 403),
        ({"Content-Type": "text/html"}, 403),
        ({"Content-Length": "1"}, 403),
    ],
)
def test_other_headers_than_the_signed_ones_are_refused(job, headers, status):
    assert upload(job, asked(job).json(), **headers).status_code == status
    assert kept(job) == {}


def test_another_key_is_refused(job):
    permitted = asked(job).json()
    url = permitted["upload_url"].replace("/artifacts/", "/trajectories/")
    assert upload(job, permitted, url=url).status_code == 403
    for key in ("../../etc/passwd", "%2e%2e/%2e%2e/x", "artifacts/..%2f..%2fx", "artifacts/a%00b"):
        base, _, query = permitted["upload_url"].partition("/artifacts/")
        assert upload(job, permitted, url=f"{base}/{key}?{query.partition('?')[2]}").status_code in {400, 403, 404}
    assert kept(job) == {}


@pytest.mark.parametrize("body", [BODY[:-1] + b"x", b"x" * len(BODY)])
def test_other_bytes_are_refused_and_leave_nothing(job, body):
    permitted = asked(job).json()
    assert upload(job, permitted, body).status_code == 422
    assert kept(job) == {}
    assert upload(job, permitted).status_code == 201


@pytest.mark.parametrize("pieces", [[BODY, b"more"], [BODY[:10]], []])
def test_a_body_that_is_longer_or_shorter_than_it_says_is_refused(job, pieces):
    permitted = asked(job).json()
    assert upload(job, permitted, (piece for piece in pieces), **{"Content-Length": str(len(BODY))}).status_code == 422
    assert kept(job) == {}


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"kind": "virus"}, "kind"),
        ({"filename": ""}, "filename"),
        ({"size_bytes": -1}, "size_bytes"),
        ({"size_bytes": 5 * 1024**3 + 1}, "size_bytes"),
        ({"sha256": DIGEST.upper()}, "sha256"),
        ({"content_type": "text/html\r\nX: y"}, "content_type"),
        ({"content_type": "nonsense"}, "content_type"),
    ],
)
def test_what_cannot_be_uploaded_gets_no_address(job, changes, path):
    answer = asked(job, **changes)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["path"] == path


def test_a_client_names_no_key(job):
    permitted = asked(job, filename="../../x").json()
    assert "x" not in permitted["path"].split("/")
    assert ".." not in permitted["upload_url"]


def test_a_sender_that_stands_still_is_given_up(monkeypatch):
    monkeypatch.setattr(uploads, "_PIECE_SECONDS", 0)

    async def stalled():
        yield b"first"
        await asyncio.Event().wait()

    async def taken():
        return [piece async for piece in uploads._steadily(stalled())]

    with pytest.raises(BodyTooSlow):
        asyncio.run(taken())
