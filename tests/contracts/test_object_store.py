"""What every object store promises (`application/ports/object_store.py`)."""

import hashlib
import threading
import time

import pytest

from adapters.filesystem.object_store import FilesystemObjectStore
from adapters.memory.object_store import MemoryObjectStore
from adapters.s3.object_store import S3ObjectStore
from application.ports.object_store import ObjectStore


@pytest.fixture(params=["memory", "filesystem", "s3"])
def store(request, tmp_path) -> ObjectStore:
    match request.param:
        case "memory":
            return MemoryObjectStore()
        case "filesystem":
            return FilesystemObjectStore(tmp_path / "bodies")
        case _:
            return S3ObjectStore(request.getfixturevalue("bucket"))


def put(store: ObjectStore, key: str, body: bytes) -> None:
    store.put(key, body, hashlib.sha256(body).hexdigest())


@pytest.mark.parametrize("body", [b"", b"\0\xff", b"x" * 3_000_000], ids=["empty", "bytes", "large"])
def test_a_body_comes_back_as_it_was(store, body):
    put(store, "a/b.json", body)
    assert store.get("a/b.json") == body
    pieces = list(store.read("a/b.json"))
    assert b"".join(pieces) == body
    assert max(map(len, pieces), default=0) <= 64 * 1024


def test_a_body_with_another_digest_is_not_stored(store):
    with pytest.raises(ValueError, match="digest"):
        store.put("a", b"body", hashlib.sha256(b"another").hexdigest())
    assert store.get("a") is None


def test_the_digest_of_a_body_is_known_where_its_key_ends_in_it(store):
    digest = hashlib.sha256(b"body").hexdigest()
    put(store, f"artifacts/r/0/{digest}", b"body")
    put(store, "a", b"body")
    assert store.stat(f"artifacts/r/0/{digest}").sha256 == digest
    assert store.stat("a").sha256 in {None, digest}


def test_what_is_not_there_is_none(store):
    assert (store.get("a"), store.read("a"), store.stat("a"), list(store.keys(""))) == (None, None, None, [])


def test_a_body_that_is_deleted_while_it_is_read_comes_whole(store):
    put(store, "a", b"x" * 200_000)
    pieces = store.read("a")
    store.delete("a")
    assert b"".join(pieces) == b"x" * 200_000


def test_size_and_time_are_known_without_reading(store):
    before = time.time()
    put(store, "a", b"four")
    found = store.stat("a")
    assert (found.key, found.size_bytes) == ("a", 4)
    assert before - 2 <= found.stored_at <= time.time() + 2


def test_the_same_bytes_again_change_nothing(store):
    for _ in range(2):
        put(store, "a", b"same")
    assert [one.key for one in store.keys("")] == ["a"]
    assert store.get("a") == b"same"


def test_a_deleted_body_is_gone_and_deleting_again_is_quiet(store):
    put(store, "a/b", b"1")
    put(store, "a/c", b"2")
    for _ in range(2):
        store.delete("a/b")
    assert (store.get("a/b"), store.get("a/c")) == (None, b"2")


def test_keys_are_listed_by_prefix_each_once(store):
    keys = ["a", "a-b/c", "a.b", "a/b", "a/b-c", "a/c/d", "b/a"]
    for key in ["b/a", "a/c/d", "a/b", "a-b/c"]:
        put(store, key, b"")
    expected = sorted(set(keys) - {"a", "a.b", "a/b-c"})
    assert sorted(one.key for one in store.keys("")) == expected
    for prefix in ("a", "a/", "a/c", "a/c/", "a-", "b/a", "c", "a/b"):
        found = sorted(one.key for one in store.keys(prefix))
        assert found == [key for key in expected if key.startswith(prefix)], prefix


def test_many_writers_of_one_key_leave_one_whole_body(store):
    body = b"x" * 200_000
    writers = [threading.Thread(target=put, args=(store, "a", body)) for _ in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert store.get("a") == body
    assert len(list(store.keys(""))) == 1


def test_tidying_leaves_what_is_whole(store):
    put(store, "a", b"whole")
    assert store.tidy(time.time() + 3_600) == 0
    assert store.get("a") == b"whole"
