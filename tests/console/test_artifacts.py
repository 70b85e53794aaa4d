"""What a job produced: what is reported stands apart from what is kept."""

import hashlib
import re

import pytest
from tuneplane.contract import COMPLETION_VERSION, completion_digest

from adapters.memory.object_store import MemoryObjectStore
from domain.artifact import upload_key
from domain.errors import TryAgain
from tests.bodies import keep as keep_body
from tests.console.test_job_page import text_of
from tests.console.test_jobs import HOSTILE

BODY = b"<script>alert(1)</script>" * 5_000
SHA256 = hashlib.sha256(BODY).hexdigest()


def register(job, **changes) -> int:
    """The position behind it."""
    said = {"kind": "checkpoint", "path": "s3://bucket/step_10", "format": "huggingface", "step": 10, **changes}
    answer = job.post("artifact", **said)
    assert answer.status_code == 200, answer.text
    return answer.json()["position"]


def keep(site, job) -> str:
    """The path under which a body that is here is registered."""
    path = upload_key(job.run_id, job.attempt, SHA256)
    keep_body(site.container.bodies(), path, BODY)
    return path


def completion(job) -> dict[str, object]:
    files = [{"path": f"part-{n}", "size_bytes": 512, "sha256": "0" * 64} for n in range(3)]
    said = {"apiVersion": COMPLETION_VERSION, "run_id": job.run_id, "attempt": job.attempt, "kind": "checkpoint"}
    said |= {"step": 10, "shape": "directory", "evidence": "producer-exited", "files": files}
    return {**said, "digest": completion_digest(said)}


def test_what_was_reported_is_shown_and_the_rest_is_unknown(site, job):
    register(job, completion=completion(job), size_bytes=1536, metrics={"loss": 0.25, "note": "x", "ok": True})
    register(job, path="/out/b", step=None, format="")
    page = site.page(f"/runs/{job.run_id}/artifacts")
    first, second = (text_of(row) for row in re.findall(r'<tr id="artifact-.*?</tr>', page, re.DOTALL))
    assert first.split("Registered")[0].count("unknown") == 4
    assert "10 s3://bucket/step_10 3 metrics" in second
    assert 'loss 0.25 note "x" ok true'.replace('"', "&#34;") in second
    assert "1.5 KiB reported complete because its producer had exited a directory of 3 files" in second
    assert "not here" in second


def test_bytes_that_are_here_are_told_from_those_that_are_elsewhere(site, job):
    register(job, path=keep(site, job))
    register(job, path="s3://bucket/other")
    lost = upload_key(job.run_id, job.attempt, hashlib.sha256(b"lost").hexdigest())
    bodies = site.container.bodies()
    keep_body(bodies, lost, b"lost")
    register(job, path=lost)
    bodies.delete(lost)
    page = site.page(f"/runs/{job.run_id}/artifacts")
    missing, other, kept = re.findall(r'<tr id="artifact-.*?</tr>', page, re.DOTALL)
    assert "Download 122.1 KiB" in kept
    assert SHA256 in kept
    assert "not here" in text_of(other)
    assert "named as an upload, but not here" in text_of(missing)
    assert "Download" not in missing + other


class Away(MemoryObjectStore):
    asked = 0

    def stat(self, key):
        self.asked += 1
        raise TryAgain


def test_while_the_store_is_away_nothing_is_said_of_bytes_and_it_is_asked_once(site, job):
    path = keep(site, job)
    register(job, path=path)
    register(job, path=path, step=11)
    register(job, path="s3://bucket/other")
    away = Away()
    with site.container.bodies.override(away):
        page = site.page(f"/runs/{job.run_id}/artifacts")
    other, second, first = re.findall(r'<tr id="artifact-.*?</tr>', page, re.DOTALL)
    assert away.asked == 1
    assert "not here" in text_of(other)
    for row in (first, second):
        assert "not known now: the object store does not answer" in text_of(row)
        assert "not here" not in text_of(row)


def test_a_download_is_the_bytes_as_they_came_and_nothing_that_a_browser_would_run(site, job):
    register(job, path=keep(site, job))
    address = re.search(r'href="([^"]+/bytes)"', site.page(f"/runs/{job.run_id}/artifacts"))[1]
    answer = site.get(address)
    assert answer.content == BODY
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == (
        f'attachment; filename="{job.run_id}-checkpoint-step-10-{SHA256[:12]}"'
    )
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-length"] == str(len(BODY))
    assert "sandbox" in answer.headers["content-security-policy"]


def test_only_the_place_that_the_server_made_for_this_attempt_is_ever_looked_at(site, job):
    path = keep(site, job)
    other = site.open_attempt()
    again = site.open_attempt(job.run_id)
    for who, foreign in (
        (other, path),
        (again, path),
        (job, f"/{path}"),
        (job, f"{path}/"),
        (job, f"x/../{path}"),
        (job, path.upper()),
        (job, path.replace("artifacts/", "artifacts//")),
        (job, f"{path}\u200b"),
        (job, "trajectories/" + path.partition("/")[2]),
        (job, "../../../etc/passwd"),
    ):
        register(who, path=foreign)
        items = site.get(f"/api/runs/{who.run_id}/artifacts").json()["items"]
        assert (items[0]["path"], items[0]["stored_bytes"]) == (foreign, None)
        assert site.get(f"/api/runs/{who.run_id}/artifacts/{items[0]['artifact_id']}/bytes").status_code == 404


@pytest.mark.parametrize("artifact", ["none", "..%2f..%2fetc", "0" * 32])
def test_what_is_no_artifact_has_no_bytes(site, job, artifact):
    assert site.get(f"/api/runs/{job.run_id}/artifacts/{artifact}/bytes").status_code == 404


def test_a_stranger_gets_no_bytes(closed):
    assert closed.sign_in().status_code == 303
    job = closed.open_attempt()
    register(job, path=keep(closed, job))
    item = closed.get(f"/api/runs/{job.run_id}/artifacts").json()["items"][0]
    closed.client.cookies.clear()
    assert closed.get(f"/api/runs/{job.run_id}/artifacts/{item['artifact_id']}/bytes").status_code == 401


def test_other_reports_of_an_artifact_are_counted_and_the_past_shows_what_was_known(site, job):
    before = register(job, size_bytes=1)
    register(job, size_bytes=2)
    artifacts = f"/runs/{job.run_id}/artifacts"
    assert "2 bytes" in text_of(site.page(artifacts))
    assert "2 different reports, the latest is shown" in text_of(site.page(artifacts))
    past = text_of(site.page(f"{artifacts}?as_of={before}"))
    assert "1 bytes" in past
    assert "different reports" not in past


def test_one_attempt_may_be_chosen(site, job):
    register(job, path="of-the-first")
    again = site.open_attempt(job.run_id)
    register(again, path="of-the-second")
    artifacts = f"/runs/{job.run_id}/artifacts"
    both, first = site.page(artifacts), site.page(f"{artifacts}?attempt=0")
    assert ("of-the-first" in both, "of-the-second" in both) == (True, True)
    assert ("of-the-first" in first, "of-the-second" in first) == (True, False)


def test_hostile_text_is_text(site, job):
    register(job, path=HOSTILE, format=HOSTILE, metrics={HOSTILE: HOSTILE})
    assert HOSTILE not in site.page(f"/runs/{job.run_id}/artifacts")


def test_long_lists_have_pages(site, job, monkeypatch):
    monkeypatch.setattr("entrypoints.http.console.pages.artifacts._A_PAGE", 2)
    for step in range(3):
        register(job, step=step)
    page = site.page(f"/runs/{job.run_id}/artifacts")
    assert page.count('<tr id="artifact-') == 2
    following = re.search(r'<a href="([^"]+)">Earlier artifacts', page)[1].replace("&amp;", "&")
    assert site.page(following).count('<tr id="artifact-') == 1


def test_a_job_without_artifacts_says_how_to_register_one(site, job):
    page = text_of(site.page(f"/runs/{job.run_id}/artifacts"))
    assert "No artifact" in page
    assert "Reporter.artifact" in page
