"""What is particular to bodies in files: nothing half written counts, nothing leaves the folder."""

import hashlib
import stat
import time
from pathlib import Path

import pytest

from adapters.filesystem.object_store import FilesystemObjectStore
from adapters.filesystem.upload_signer import FilesystemUploadSigner
from application.ports.uploads import Upload
from domain.errors import TryAgain

BODY = b"body"
DIGEST = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def store(tmp_path):
    return FilesystemObjectStore(tmp_path / "bodies")


def everything(root):
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    "key", ["", "/a", "a/", "a//b", "../a", "a/../b", "a/..", ".", "a/./b", "A", "a b", "a\0", "a\\b", "ü", "a\n"]
)
def test_only_keys_of_the_servers_own_making_are_taken(store, tmp_path, key):
    for ask in (store.get, store.stat, store.delete, store.incoming):
        with pytest.raises(ValueError, match="made by the server"):
            ask(key)
    assert everything(tmp_path) == []


def test_a_body_of_another_digest_is_not_stored(store, tmp_path):
    with pytest.raises(ValueError, match="digest"):
        store.put("a", BODY, "0" * 64)
    assert store.get("a") is None
    assert everything(tmp_path) == []


def test_a_name_that_is_a_digest_is_given_to_its_own_body_alone(store):
    with pytest.raises(ValueError, match="digest"):
        store.put(f"a/{'0' * 64}", BODY, DIGEST)
    assert list(store.keys("")) == []


def test_an_unfinished_body_does_not_count(store):
    incoming = store.incoming("a/b")
    incoming.write(BODY)
    assert (store.get("a/b"), list(store.keys(""))) == (None, [])
    assert incoming.matches(4, DIGEST)
    assert not incoming.matches(5, DIGEST)
    assert incoming.finish(DIGEST)
    incoming.abandon()
    assert (store.get("a/b"), [one.key for one in store.keys("")]) == (BODY, ["a/b"])


def test_an_abandoned_body_leaves_nothing(store, tmp_path):
    incoming = store.incoming("a")
    incoming.write(BODY)
    for _ in range(2):
        incoming.abandon()
    assert everything(tmp_path) == []


def test_of_two_uploads_of_one_key_the_first_to_finish_stands(store):
    first, second = store.incoming("a"), store.incoming("a")
    for one in (first, second):
        one.write(BODY)
    assert [first.finish(DIGEST), second.finish(DIGEST)] == [True, False]
    for one in (first, second):
        one.abandon()
    assert store.get("a") == BODY


def test_bodies_are_private(store, tmp_path):
    store.put("a/b/c", BODY, DIGEST)
    for path in (tmp_path / "bodies", *(tmp_path / "bodies").rglob("*")):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path


def test_a_disk_that_fails_asks_to_try_again_and_names_no_path(store, tmp_path):
    (tmp_path / "bodies").write_bytes(b"a file where the folder should be")
    with pytest.raises(TryAgain) as refused:
        store.put("a", BODY, DIGEST)
    assert str(tmp_path) not in refused.value.detail


def test_no_descriptor_is_left_open(store):
    before = len(list(Path("/proc/self/fd").iterdir()))
    for n in range(20):
        store.put(f"k{n}", BODY, DIGEST)
        with pytest.raises(ValueError, match="digest"):
            store.put(f"k{n}", b"other", DIGEST)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


AN_UPLOAD = Upload(key="artifacts/a", size_bytes=4, sha256=DIGEST, content_type="text/plain")


def signed(signer, upload=AN_UPLOAD):
    query = dict(part.split("=") for part in signer.sign(upload).url.partition("?")[2].split("&"))
    return int(query["expires"]), query["signature"]


@pytest.mark.parametrize(
    "changes", [{"key": "artifacts/b"}, {"size_bytes": 5}, {"sha256": "0" * 64}, {"content_type": "text/html"}]
)
def test_a_signature_is_good_for_exactly_one_upload(changes):
    signer = FilesystemUploadSigner("http://h", lambda: b"secret", clock=lambda: 1000.0)
    expires, signature = signed(signer)
    other = Upload(**{name: changes.get(name, getattr(AN_UPLOAD, name)) for name in Upload.__struct_fields__})
    assert signer.permits(AN_UPLOAD, expires, signature)
    assert not signer.permits(other, expires, signature)
    assert not signer.permits(AN_UPLOAD, expires + 1, signature)
    assert not signer.permits(AN_UPLOAD, expires, signature[:-1])
    assert not signer.permits(AN_UPLOAD, expires, "ü")
    assert not FilesystemUploadSigner("http://h", lambda: b"other", lambda: 1000.0).permits(
        AN_UPLOAD, expires, signature
    )


def test_a_signature_is_good_for_five_minutes():
    now = [1000.0]
    signer = FilesystemUploadSigner("http://h", lambda: b"secret", clock=lambda: now[0])
    expires, signature = signed(signer)
    assert signer.sign(AN_UPLOAD).expires_at == 1300 * 1_000_000
    for at, good in ((1299.0, True), (1300.0, False)):
        now[0] = at
        assert signer.permits(AN_UPLOAD, expires, signature) is good


def test_what_was_begun_long_ago_and_never_finished_is_tidied_away(tmp_path):
    store = FilesystemObjectStore(tmp_path / "bodies")
    assert store.tidy(time.time()) == 0
    begun = store.incoming("a/b")
    begun.write(b"half")
    assert store.tidy(time.time() - 60) == 0
    assert store.tidy(time.time() + 60) == 1
    begun.abandon()
    assert list((tmp_path / "bodies" / ".unfinished").iterdir()) == []
