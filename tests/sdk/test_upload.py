"""`Reporter.upload_artifact`: the file as it is, once, or a reason."""

import hashlib
import json
import os

import pytest
from tuneplane.reporter import Reporter, ReporterError
from tuneplane.upload import FileToUpload, FileUnusable, Permission, permission

from tests.sdk.conftest import TOKEN
from tests.sdk.ingest_stub import CUT
from tests.sdk.ingest_stub import until as eventually

BODY = bytes(range(256)) * 10_000
DIGEST = hashlib.sha256(BODY).hexdigest()
HEADERS = {"Content-Type": "application/zip", "Content-Length": str(len(BODY)), "x-amz-checksum-sha256": "abc="}
SIGNATURE = "0123456789abcdef"


class Store:
    """Permits what it is asked for, and answers uploads with one status after another, then with 200."""

    def __init__(self, ingest) -> None:
        self.ingest = ingest
        self.uploaded = False
        self.statuses: list[object] = []
        self.before_upload = lambda: None
        ingest.answer = self.answer

    def answer(self, path, body):
        if path.startswith("/store/"):
            return self.statuses.pop(0) if self.statuses else 200
        if path != "artifact/upload-url":
            return 200
        self.before_upload()
        headers = {**HEADERS, "Content-Length": str(json.loads(body)["size_bytes"])}
        url = f"{self.ingest.url}/store/a?signature={SIGNATURE}"
        return 200, {"upload_url": url, "method": "PUT", "headers": headers, "path": "a/b", "uploaded": self.uploaded}

    def paths(self) -> list[str]:
        return [one.path.partition("?")[0] for one in self.ingest.requests]


@pytest.fixture
def store(ingest):
    return Store(ingest)


@pytest.fixture
def reporter(ingest):
    with Reporter(ingest.endpoint, "run-1", TOKEN, retry_delay=0.001, attempt=2) as one:
        yield one


@pytest.fixture
def file(tmp_path):
    made = tmp_path / "model.zip"
    made.write_bytes(BODY)
    return made


def test_a_file_is_announced_sent_as_it_is_and_registered(store, reporter, file):
    said = {"step": 3, "metrics": {"loss": 0.5}, "content_type": "application/zip"}
    assert reporter.upload_artifact("checkpoint", file, format="zip", **said) == "a/b"
    asked, put, registered = store.ingest.requests
    assert asked.document == {
        "run_id": "run-1",
        "attempt": 2,
        "kind": "checkpoint",
        "filename": "model.zip",
        "size_bytes": len(BODY),
        "sha256": DIGEST,
        "step": 3,
        "content_type": "application/zip",
    }
    assert (put.path, put.body) == (f"/store/a?signature={SIGNATURE}", BODY)
    assert {name: put.headers[name] for name in HEADERS} == HEADERS
    assert TOKEN not in str(put.headers)
    assert "Transfer-Encoding" not in put.headers
    assert registered.document == {
        "run_id": "run-1",
        "attempt": 2,
        "kind": "checkpoint",
        "path": "a/b",
        "format": "zip",
        "size_bytes": len(BODY),
        "step": 3,
        "metrics": {"loss": 0.5},
    }


def test_what_is_there_already_is_registered_and_not_sent_again(store, reporter, file):
    store.uploaded = True
    reporter.upload_artifact("log", str(file), format="text")
    assert store.paths() == ["artifact/upload-url", "artifact"]


@pytest.mark.parametrize("status", [CUT, 503, 429, 403])
def test_an_upload_that_failed_is_tried_again_whole_under_an_address_of_its_own(store, reporter, file, status):
    store.statuses = [status, status]
    reporter.upload_artifact("log", file, format="text")
    assert store.paths() == ["artifact/upload-url", "/store/a"] * 3 + ["artifact"]
    assert {one.body for one in store.ingest.requests if one.path.startswith("/store")} == {BODY}


def test_a_body_that_came_in_meanwhile_is_there(store, reporter, file):
    store.statuses = [412]
    reporter.upload_artifact("log", file, format="text")
    assert store.paths() == ["artifact/upload-url", "/store/a", "artifact"]


def test_a_refusal_is_final_and_says_why_without_the_address(store, reporter, file):
    store.statuses = [(400, b"<Error><Code>BadDigest</Code><Resource>/secret-bucket/k</Resource></Error>")]
    with pytest.raises(ReporterError, match=r"model\.zip: HTTP 400 \(BadDigest\)") as told:
        reporter.upload_artifact("log", file, format="text")
    assert (told.value.status, told.value.transient) == (400, False)
    assert SIGNATURE not in str(told.value)
    assert "secret-bucket" not in str(told.value)
    assert "artifact" not in store.paths()


def test_the_last_try_raises_and_registers_nothing(store, reporter, file):
    store.statuses = [503] * 3
    with pytest.raises(ReporterError, match="HTTP 503") as told:
        reporter.upload_artifact("log", file, format="text")
    assert told.value.transient
    assert "artifact" not in store.paths()


@pytest.mark.parametrize("after", [BODY + b"more", BODY[:-1], BODY[:-1] + b"x", b""])
def test_a_file_that_changes_is_refused_and_its_upload_never_ends(store, reporter, file, after):
    store.before_upload = lambda: file.write_bytes(after)
    with pytest.raises(ReporterError, match=r"model\.zip changed while it was read"):
        reporter.upload_artifact("log", file, format="text")
    assert store.paths() == ["artifact/upload-url"]
    assert eventually(lambda: store.ingest.torn) == 1


def test_a_file_that_changes_without_a_sign_is_refused_too(store, reporter, file):
    before = file.stat()

    def change() -> None:
        file.write_bytes(BODY[:-1] + b"x")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    store.before_upload = change
    with pytest.raises(ReporterError, match="changed while it was read"):
        reporter.upload_artifact("log", file, format="text")
    assert store.paths() == ["artifact/upload-url"]
    assert eventually(lambda: store.ingest.torn) == 1


def test_a_file_that_is_written_to_while_it_is_measured_is_refused(file, monkeypatch):
    read = FileToUpload._read

    def meanwhile(self):
        for piece in read(self):
            file.write_bytes(BODY + b"more")
            yield piece

    monkeypatch.setattr(FileToUpload, "_read", meanwhile)
    with pytest.raises(FileUnusable, match="changed"), FileToUpload(file):
        pytest.fail("it was taken")


def test_what_is_no_file_is_refused_by_name_and_nothing_is_sent(store, reporter, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name, why in ((".", "no regular file"), ("pipe", "no regular file"), ("absent", "No such file")):
        with pytest.raises(ReporterError, match=why) as told:
            reporter.upload_artifact("log", tmp_path / name, format="text")
        assert str(tmp_path) in str(told.value)
    assert store.ingest.requests == []


def test_an_empty_file_is_a_file(store, reporter, tmp_path):
    (tmp_path / "empty").touch()
    reporter.upload_artifact("log", tmp_path / "empty", format="text")
    assert [one.body for one in store.ingest.requests if one.path.startswith("/store")] == [b""]
    assert store.ingest.requests[-1].document["size_bytes"] == 0


@pytest.mark.parametrize(("shape", "size"), [("file", len(BODY)), ("directory", None)])
def test_the_size_of_a_folder_is_that_of_its_files_and_not_of_the_upload(store, reporter, file, shape, size):
    reporter.upload_artifact("capsule", file, format="tar", completion={"shape": shape})
    assert store.ingest.requests[-1].document.get("size_bytes") == size


def test_another_answer_than_an_address_is_no_address(ingest, reporter, file):
    assert permission(b"[]") is permission(b'{"upload_url": "file:///x", "headers": {}, "path": "a"}') is None
    ingest.answer = lambda path, body: (200, {"hello": "world"})
    with pytest.raises(ReporterError, match="something else"):
        reporter.upload_artifact("log", file, format="text")


def test_no_repr_shows_the_address():
    assert "signature" not in repr(Permission("https://h/?signature=x", {}, "a", uploaded=False))
