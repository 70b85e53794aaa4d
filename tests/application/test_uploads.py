"""When an upload is permitted, and when an artifact may be registered under it."""

import hashlib

import pytest

from adapters.memory.event_log import MemoryEventLog
from adapters.memory.object_store import MemoryObjectStore
from application.commands.confirm_upload import ConfirmUpload
from application.commands.sign_upload import SignUpload
from application.event_log.group_commit import GroupCommit
from application.ports.object_store import StoredObject
from application.ports.uploads import SignedUpload
from domain.artifact import register_artifact, upload_key
from domain.errors import Refused, TryAgain
from domain.ids import Attempt, Micros, RunId
from tests import factories as a

BODY = b"weights"
DIGEST = hashlib.sha256(BODY).hexdigest()
KEY = upload_key(a.RUN, a.FIRST, DIGEST)
HOUR = 3_600_000_000


class Store(MemoryObjectStore):
    """What is in it was stored at noon. It may be away, or keep no digests."""

    away = False
    digests = True

    def stat(self, key):
        if self.away:
            raise TryAgain
        found = super().stat(key)
        return found and StoredObject(key, found.size_bytes, a.NOON / 1e6, found.sha256 if self.digests else None)


class Signer:
    def sign(self, upload):
        return SignedUpload(url=f"https://store/{upload.key}", headers={}, expires_at=a.NOON)


class World:
    def __init__(self) -> None:
        log = MemoryEventLog(lambda: a.NOON)
        self.commit = GroupCommit(log)
        self.bodies = Store()
        self.now = a.NOON
        self.confirm = ConfirmUpload(log, self.bodies, lambda: self.now)
        self._sign = SignUpload(Signer(), log, self.bodies, 100, lambda: self.now)

    def uploaded(self) -> None:
        self.bodies.put(KEY, BODY, DIGEST)

    def registered(self, **changes) -> None:
        self.commit.append_now([register_artifact(a.an_artifact(path=KEY, **changes))])

    def ask(self, size_bytes: int = len(BODY)) -> bool:
        """Whether the body is said to be here already."""
        permitted = self._sign(a.RUN, a.FIRST, size_bytes=size_bytes, sha256=DIGEST, content_type="a/b")
        assert permitted.path == KEY
        return permitted.uploaded


@pytest.fixture
def world():
    made = World()
    made.commit.start()
    yield made
    made.commit.stop()


def an_upload(**changes):
    return a.an_artifact(**{"path": KEY, "size_bytes": len(BODY), "completion": None, **changes})


def completion(sha256: str, shape: str = "file"):
    return {"shape": shape, "files": [{"path": "content", "size_bytes": len(BODY), "sha256": sha256}]}


def test_an_artifact_whose_bytes_are_here_may_be_registered(world):
    world.uploaded()
    world.confirm(an_upload())
    world.confirm(an_upload(size_bytes=None))
    world.confirm(an_upload(completion=completion(DIGEST)))


def test_a_folder_is_uploaded_as_one_body_of_another_size(world):
    world.uploaded()
    world.confirm(an_upload(size_bytes=5_000, completion=completion("0" * 64, "directory")))


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ({"size_bytes": 8}, "size_bytes"),
        ({"size_bytes": 6, "completion": completion(DIGEST)}, "size_bytes"),
        ({"completion": completion("0" * 64)}, "completion.files[0].sha256"),
    ],
)
def test_an_artifact_that_says_something_else_than_the_store_is_refused(world, said, where):
    world.uploaded()
    with pytest.raises(Refused) as told:
        world.confirm(an_upload(**said))
    assert told.value.faults[0].path == where


def test_an_artifact_whose_bytes_never_came_is_refused(world):
    with pytest.raises(Refused, match="nothing was uploaded there"):
        world.confirm(an_upload())


def test_a_store_that_keeps_no_digest_confirms_nothing(world):
    world.uploaded()
    world.bodies.digests = False
    with pytest.raises(Refused, match="does not confirm the SHA-256"):
        world.confirm(an_upload())


def test_a_path_of_anywhere_else_is_text_and_the_store_is_not_asked(world):
    world.bodies.away = True
    for path in ("s3://bucket/weights", KEY.replace("/0/", "/1/"), upload_key(RunId("other"), Attempt(0), DIGEST)):
        world.confirm(an_upload(path=path))


def test_what_is_on_record_may_be_sent_again_though_the_store_is_away(world):
    world.registered(step=7)
    world.bodies.away = True
    world.confirm(an_upload(step=7))
    with pytest.raises(TryAgain):
        world.confirm(an_upload(step=8))


def test_what_was_uploaded_an_hour_ago_and_never_registered_may_be_about_to_be_swept(world):
    world.uploaded()
    world.now = Micros(a.NOON + HOUR - 1)
    world.confirm(an_upload())
    assert world.ask()
    world.now = Micros(a.NOON + HOUR)
    with pytest.raises(Refused, match="over an hour ago"):
        world.confirm(an_upload())
    with pytest.raises(TryAgain, match="about to be swept"):
        world.ask()


def test_an_upload_that_is_registered_may_be_registered_as_something_else_at_any_time(world):
    world.uploaded()
    world.registered(step=7)
    world.now = Micros(a.NOON + 10_000 * HOUR)
    world.confirm(an_upload(step=8))
    assert world.ask()


def test_a_body_that_is_here_need_not_be_sent_again(world):
    assert not world.ask()
    world.uploaded()
    assert world.ask()
    with pytest.raises(Refused, match="has 7 bytes"):
        world.ask(size_bytes=8)


def test_what_is_too_large_gets_no_address(world):
    world.ask(size_bytes=100)
    with pytest.raises(Refused, match="at most 100 bytes"):
        world.ask(size_bytes=101)
