"""What a sweep removes, and what it leaves alone."""

import hashlib

import pytest

from adapters.memory.event_log import MemoryEventLog
from adapters.memory.object_store import MemoryObjectStore
from adapters.memory.sole import MemorySole
from application.commands.delete_trajectory import DeleteTrajectory
from application.commands.store_trajectory import StoreTrajectory, body_key
from application.commands.sweep_bodies import SweepBodies
from application.event_log.group_commit import GroupCommit
from application.ports.object_store import StoredObject
from domain.artifact import register_artifact, upload_key
from domain.errors import TryAgain
from domain.ids import Attempt, Micros, RunId
from tests import factories as a

BODY = b'{"messages":[]}'
DIGEST = hashlib.sha256(BODY).hexdigest()
HOUR = 3_600_000_000
STORED_AT = a.NOON / 1e6
EXPIRES = Micros(a.NOON + 7 * 24 * HOUR)


class Store(MemoryObjectStore):
    """Everything in it was stored at noon, what is on its way was begun then; deleting may fail."""

    broken = False
    begun = 1

    def keys(self, prefix):
        return (StoredObject(one.key, one.size_bytes, STORED_AT) for one in super().keys(prefix))

    def tidy(self, before):
        removed = self.begun if before > STORED_AT else 0
        self.begun -= removed
        return removed

    def delete(self, key):
        if self.broken:
            raise TryAgain
        super().delete(key)


class World:
    def __init__(self) -> None:
        self.log = MemoryEventLog(lambda: a.NOON)
        self.commit = GroupCommit(self.log)
        self.bodies = Store()
        self.sole = MemorySole()
        self.now = Micros(a.NOON)
        self.sweep = SweepBodies(self.log, self.bodies, self.sole, lambda: self.now)

    def keep(self, trial: str, **changes) -> str:
        """Stores a trajectory; its body's key."""
        named = hashlib.sha256(trial.encode()).hexdigest()
        key = body_key(a.RUN, a.FIRST, named, DIGEST)
        said = {"trial_id": trial, "trajectory_id": named, "object_key": key, "body_digest": DIGEST}
        StoreTrajectory(self.commit, self.log, self.bodies)(a.a_trajectory(**said, expires_at=EXPIRES, **changes), BODY)
        return key

    def upload(self, run: RunId = a.RUN, attempt: Attempt = a.FIRST) -> str:
        """Keeps a body as an upload does; its key."""
        key = upload_key(run, attempt, DIGEST)
        self.bodies.put(key, BODY, DIGEST)
        return key

    def register(self, path: str, run: RunId = a.RUN) -> None:
        self.commit.append_now([register_artifact(a.an_artifact(path=path, run=run))])

    def left(self) -> set[str]:
        return {one.key for one in self.bodies.keys("")}


@pytest.fixture
def world():
    made = World()
    made.commit.start()
    yield made
    made.commit.stop()


def test_bodies_that_are_wanted_stay(world):
    key = world.keep("t1")
    world.now = Micros(EXPIRES - 1)
    swept = world.sweep()
    assert (swept.kept, swept.expired, swept.orphans, swept.deleted) == (1, 0, 0, 0)
    assert world.left() == {key}


def test_an_expired_body_is_removed_and_its_record_stays(world):
    world.keep("t1")
    world.now = EXPIRES
    assert world.sweep().expired == 1
    assert world.left() == set()
    assert [one.tag for one in world.log.read(0)] == ["trajectory-stored.v1"]


def test_a_deletion_that_the_store_did_not_hear_of_is_made_good(world):
    world.keep("t1")
    kept = world.keep("t2")
    world.bodies.broken = True
    with pytest.raises(TryAgain, match="deletion is on record"):
        DeleteTrajectory(world.commit, world.log, world.bodies)(
            a.RUN, a.FIRST, hashlib.sha256(b"t1").hexdigest(), deleted_by="ada"
        )
    world.bodies.broken = False
    assert world.sweep().deleted == 1
    assert world.left() == {kept}


def test_a_body_that_no_event_names_is_removed_once_it_is_an_hour_old(world):
    keys = [
        "trajectories/ab/abcdef0123456789abcdef0123456789-0.json",
        "trajectories/zz/no-stream.json",
        body_key(a.RUN, a.FIRST, "a" * 64, "f" * 64),
    ]
    for key in keys:
        world.bodies.put(key, BODY, DIGEST)
    world.now = Micros(a.NOON + HOUR - 1)
    assert (world.sweep().orphans, world.left()) == (0, set(keys))
    world.now = Micros(a.NOON + HOUR)
    assert (world.sweep().orphans, world.left()) == (3, set())


def test_a_body_under_the_name_of_another_is_an_orphan(world):
    kept = world.keep("t1")
    other = kept.replace(DIGEST[:32], "f" * 32)
    world.bodies.put(other, BODY, DIGEST)
    world.now = Micros(a.NOON + HOUR)
    world.sweep()
    assert world.left() == {kept}


def test_what_may_still_be_on_its_way_is_left_alone_for_an_hour(world):
    key = body_key(a.RUN, a.FIRST, "a" * 64, "f" * 64)
    world.bodies.put(key, BODY, DIGEST)
    kept = world.keep("t1")
    world.now = Micros(a.NOON + HOUR - 1)
    assert (world.sweep().kept, world.sweep().unfinished, world.left()) == (2, 0, {key, kept})
    world.now = Micros(a.NOON + HOUR + 1)
    swept = world.sweep()
    assert (swept.kept, swept.orphans, swept.unfinished, world.bodies.begun) == (1, 1, 1, 0)


def test_what_is_neither_trajectory_nor_upload_is_not_looked_at(world):
    world.bodies.put("others/a/0/b", BODY, DIGEST)
    world.now = Micros(a.NOON + 10_000 * HOUR)
    assert world.sweep().looked_at == 0
    assert world.left() == {"others/a/0/b"}


def test_an_upload_that_no_artifact_was_registered_under_is_removed_after_two_hours(world):
    key = world.upload()
    world.now = Micros(a.NOON + 2 * HOUR - 1)
    assert (world.sweep().orphans, world.left()) == (0, {key})
    world.now = Micros(a.NOON + 2 * HOUR)
    assert (world.sweep().orphans, world.left()) == (1, set())


def test_an_upload_that_is_registered_is_never_removed(world):
    key = world.upload()
    world.register(key)
    other = world.upload(attempt=Attempt(1))
    world.register(f"s3://elsewhere/{other}")
    world.now = Micros(a.NOON + 10_000 * HOUR)
    assert (world.sweep().kept, world.left()) == (1, {key})


def test_an_upload_that_was_registered_since_the_last_sweep_is_known(world):
    first = world.upload()
    world.register(first)
    world.now = Micros(a.NOON + 2 * HOUR - 1)
    world.sweep()
    second = world.upload(run=RunId("another"))
    world.register(second, run=RunId("another"))
    world.now = Micros(a.NOON + 3 * HOUR)
    assert (world.sweep().orphans, world.left()) == (0, {first, second})


def test_a_sweep_ends_where_it_is_told_to(world):
    world.keep("t1")
    world.keep("t2")
    world.now = EXPIRES
    told: list[int] = []
    swept = world.sweep(told.append, lambda: len(told) == 1)
    assert (swept.ended_early, swept.expired, len(world.left())) == (True, 1, 1)
    assert not world.sweep().ended_early


def test_where_another_process_sweeps_nothing_is_done(world):
    world.keep("t1")
    world.now = EXPIRES
    with world.sole.alone("sweep") as first:
        assert first
        assert world.sweep().busy
    assert len(world.left()) == 1
    assert not world.sweep().busy


def test_progress_is_told_body_by_body(world):
    world.keep("t1")
    world.keep("t2")
    told: list[int] = []
    world.sweep(told.append)
    assert told == [1, 2]
