"""A writer of the log that believes itself alone is right, or finds out: it appends without the lock."""

from collections.abc import Callable, Iterator

import psycopg
import pytest

from adapters.postgres.database import Database
from adapters.postgres.event_log import PostgresEventLog
from application.ports.event_log import Fate
from domain.errors import IdentityTaken, TryAgain
from domain.ids import Micros, stream_id
from tests.contracts.event_log import (
    APPEND,
    FIRST_WINS,
    IMMUTABLE,
    LATEST_SHOWS,
    STREAM,
    append,
    append_one,
    by_hand,
    everything,
    fates,
    is_sound,
    placed,
    positions,
    said,
)
from tests.factories import NOON

OTHERS = stream_id("others")


class Interrupted:
    """A clock in which something happens once: after the writer looked, before it writes."""

    def __init__(self) -> None:
        self.then: Callable[[], object] | None = None

    def __call__(self) -> Micros:
        then, self.then = self.then, None
        if then is not None:
            then()
        return NOON


@pytest.fixture
def clock() -> Interrupted:
    return Interrupted()


@pytest.fixture
def log(database: Database, clock: Interrupted) -> Iterator[PostgresEventLog]:
    """A writer that has been alone so far."""
    log = PostgresEventLog(database, clock)
    append_one(log, placed("a", None, settle=APPEND))
    append_one(log, placed("b", None, settle=APPEND))
    yield log
    log.close()


@pytest.fixture
def other(database: Database) -> Iterator[PostgresEventLog]:
    """Another process's writer."""
    log = PostgresEventLog(database, lambda: NOON)
    yield log
    log.close()


@pytest.fixture
def operator(migrated: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(migrated, autocommit=True) as connection:
        yield connection


def is_locking(operator: psycopg.Connection, work: Callable[[], object]) -> bool:
    """Whether `work` ends with a transaction of more than one statement."""
    work()
    row = operator.execute(
        "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        " ORDER BY query_start DESC LIMIT 1"
    ).fetchone()
    assert row is not None
    return bool(row[0] == "COMMIT")


def end_sessions(operator: psycopg.Connection) -> None:
    operator.execute(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )


def test_alone_it_takes_no_lock_and_disturbed_it_does_until_it_is_alone_again(log, other, operator):
    def locked(version: int) -> bool:
        return is_locking(operator, lambda: append_one(log, placed(f"{version}", version, stream=OTHERS)))

    assert not locked(1)
    append_one(other, placed("theirs", None, settle=APPEND))
    assert locked(2)
    assert locked(3)
    assert not locked(4)
    assert locked(4), "its place is taken"
    assert locked(5)
    assert not locked(6)
    assert is_sound(everything(log))


@pytest.mark.parametrize(("theirs", "fate"), [("mine", Fate.DUPLICATE), ("theirs", Fate.SET_ASIDE)])
def test_what_others_appended_before_it_wrote_is_found(log, clock, other, theirs, fate):
    clock.then = lambda: append_one(other, placed(theirs, 1, stream=OTHERS))
    assert fates(append_one(log, placed("mine", 1, stream=OTHERS))) == [fate]
    events = everything(log)
    assert is_sound(events)
    assert [event.stream for event in events[:3]] == [STREAM, STREAM, OTHERS]


def test_versions_follow_those_that_others_appended_before_it_wrote(log, clock, other):
    clock.then = lambda: append_one(other, placed("theirs", None, settle=APPEND))
    append_one(log, placed("mine", None, settle=APPEND))
    assert [(event.version, event.position) for event in everything(log)] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert said(log) == ["a", "b", "theirs", "mine"]


def test_a_head_of_another_hash_is_not_the_head_it_left(log, operator):
    # As in a database restored from a copy while the server runs.
    another = bytes(31) + b"x"
    operator.execute("UPDATE chain_head SET hash = %s", (another,))
    append_one(log, placed("c", None, settle=APPEND))
    event = everything(log)[-1]
    assert (event.position, event.hash) == (3, by_hand(another, event))


def test_taken_places_are_settled_by_their_rules(log):
    append_one(log, placed("x", 1, stream=OTHERS))
    append_one(log, placed("another stream", 1, stream=stream_id("third")))
    taken, free = append(
        log, [placed("y", 1, stream=OTHERS, settle=IMMUTABLE)], [placed("z", 2, stream=OTHERS, settle=IMMUTABLE)]
    )
    assert isinstance(taken, IdentityTaken)
    assert fates(free) == [Fate.ACCEPTED]
    assert said(log) == ["a", "b", "x", "another stream", "z"]


def test_versions_follow_each_other_whatever_else_the_stream_got(log, other):
    append_one(log, placed("by number", 7))
    append_one(log, placed("next", None, settle=APPEND), placed("and next", None, settle=APPEND))
    append_one(log, placed("next", None, settle=APPEND), placed("by number", 3))
    append_one(log, placed("next", None, settle=APPEND))
    append_one(other, placed("theirs", None, settle=APPEND))
    for _ in range(4):
        append_one(log, placed("next", None, settle=APPEND))
    events = everything(log)
    assert [event.version for event in events] == [1, 2, 7, 8, 9, 10, 3, 11, 12, 13, 14, 15, 16]
    assert is_sound(events)


def test_what_a_rule_looks_at_is_looked_up(log):
    append_one(log, placed("x", None, stream=OTHERS, settle=LATEST_SHOWS))
    assert fates(append_one(log, placed("x", None, stream=OTHERS, settle=LATEST_SHOWS))) == [Fate.DUPLICATE]
    append_one(log, placed("c", None, settle=APPEND))
    assert fates(append_one(log, placed("y", None, stream=OTHERS, settle=LATEST_SHOWS))) == [Fate.ACCEPTED]
    assert fates(append_one(log, placed("z", None, stream=OTHERS, settle=FIRST_WINS))) == [Fate.SET_ASIDE]
    assert said(log) == ["a", "b", "x", "c", "y", "ReportSetAside"]


def test_a_connection_lost_before_it_wrote_is_replaced_at_once(log, clock, operator):
    clock.then = lambda: end_sessions(operator)
    assert positions(append_one(log, placed("c", None, settle=APPEND))) == [3]
    assert said(log) == ["a", "b", "c"]


def test_a_connection_lost_while_it_wrote_says_try_again_where_it_may_have_written(log, clock, other, operator):
    def lose() -> None:
        append_one(other, placed("perhaps mine", None, settle=APPEND))
        end_sessions(operator)

    clock.then = lose
    with pytest.raises(TryAgain):
        append_one(log, placed("c", None, settle=APPEND))
    assert said(log) == ["a", "b", "perhaps mine"]
    assert positions(append_one(log, placed("c", None, settle=APPEND))) == [4]
