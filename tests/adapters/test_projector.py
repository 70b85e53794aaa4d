"""The projector on a real database: exactly once, one at a time, and one bad event stops one run in one view."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from adapters.embedded_postgres.launcher import EmbeddedPostgres
from adapters.postgres.database import Database
from adapters.postgres.event_log import PostgresEventLog
from adapters.postgres.projector import BATCH
from adapters.postgres.projector_lockstep import advance, decoded
from adapters.postgres.projector_tracked import Fenced
from adapters.postgres.projector_tracking import claim, factories, prepare, take, try_lock, writing_connection
from application.ports.event_log import RecordedEvent
from application.projections.projection import Projection
from domain.errors import TryAgain
from domain.events import Event, LogReported
from domain.ids import Position, RunId
from tests import factories as make
from tests.adapters import projecting
from tests.adapters.projecting import (
    COUNTING,
    KEEPING,
    a_log,
    all_at,
    append,
    ask,
    model,
    pieces,
    positions,
    tallies,
    wait_until,
)

VIEWS = factories((COUNTING, KEEPING))
KILLED_PROJECTOR = Path(__file__).with_name("killed_projector.py")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def log(dsn: str) -> Iterator[tuple[Database, PostgresEventLog]]:
    with a_log(dsn) as both:
        yield both


def a_history(count: int, runs: int = 3, seed: int = 1) -> list[LogReported]:
    dice = random.Random(seed)
    return [make.a_log(*["x"] * dice.randint(1, 3), run=RunId(f"run-{dice.randrange(runs)}")) for _ in range(count)]


def test_views_follow_the_log(dsn, log):
    history = a_history(3 * BATCH)
    with projecting.projecting(log, VIEWS):
        for event in history[:5]:
            append(log[1], event)
        append(log[1], *history[5:])
        wait_until(all_at(dsn, len(history)))
    assert (tallies(dsn), pieces(dsn)) == model(history)


class Reads:
    """A log that notes how many events each read of the projector brought."""

    def __init__(self, log) -> None:
        self._log = log
        self.brought: list[int] = []

    def head(self):
        return self._log.head()

    def read(self, after, **bounds):
        found = self._log.read(after, **bounds)
        self.brought += [len(found)] if found else []
        return found


def test_events_in_quick_succession_are_taken_in_together(dsn, log, monkeypatch):
    monkeypatch.setattr("adapters.postgres.projector.GATHER_SECONDS", 2.0)
    reads: Any = Reads(log[1])
    with projecting.projecting((log[0], reads), VIEWS):
        wait_until(all_at(dsn, append(log[1], make.a_log("first"))))
        for number in range(20):
            last = append(log[1], make.a_log(f"piece {number}"))
        wait_until(all_at(dsn, last))

    assert sum(reads.brought) == 21
    assert len(reads.brought) <= 3  # the first at once, those behind it when it has rested


def test_what_was_there_before_it_started_is_taken_in(dsn, log):
    history = a_history(2 * BATCH + 1)
    append(log[1], *history)
    with projecting.projecting(log, VIEWS):
        wait_until(all_at(dsn, len(history)))
    assert (tallies(dsn), pieces(dsn)) == model(history)


def test_events_that_no_view_reads_move_the_position(dsn, log):
    with projecting.projecting(log, VIEWS):
        append(log[1], make.a_lifecycle(), make.a_lifecycle("succeeded"))
        wait_until(all_at(dsn, 2))
    assert tallies(dsn) == {}


def test_an_erased_event_is_passed_over(dsn, log):
    append(log[1], make.a_log("a"), make.a_log("b"))
    ask_nothing(dsn, "UPDATE stored_events SET state = NULL WHERE notification_id = 1")
    with projecting.projecting(log, VIEWS):
        wait_until(all_at(dsn, 2))
    assert tallies(dsn) == {"run-1": (1, 2)}


def test_a_projector_killed_in_the_middle_of_a_batch_leaves_nothing_of_it_behind(dsn, log):
    history = a_history(BATCH)
    append(log[1], *history)
    command = [sys.executable, str(KILLED_PROJECTOR), dsn]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'sdk'}"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as killed:
        assert killed.stdout is not None
        assert killed.stdout.readline() == "in the middle\n"
        killed.send_signal(signal.SIGKILL)
    assert set(positions(dsn).values()) == {0}
    with projecting.projecting(log, VIEWS):
        wait_until(all_at(dsn, len(history)))
    assert (tallies(dsn), pieces(dsn)) == model(history)


def test_two_projectors_take_every_event_in_once_and_one_takes_over(dsn, log):
    history = a_history(300)
    with ExitStack() as projectors:
        first = projectors.enter_context(projecting.projecting(log, VIEWS))
        projectors.enter_context(projecting.projecting(log, VIEWS))
        for start in range(0, 200, 10):
            append(log[1], *history[start : start + 10])
        first.make()
        append(log[1], *history[200:])
        wait_until(all_at(dsn, len(history)))
    assert (tallies(dsn), pieces(dsn)) == model(history)


def test_a_poison_event_stops_its_run_in_that_view_alone(dsn, log):
    good, bad = RunId("good"), RunId("bad")
    with projecting.projecting(log, VIEWS):
        append(
            log[1],
            make.a_log("a", run=bad),
            make.a_log("b", run=good),
            make.a_log("secret", "poison", run=bad),
            make.a_log("c", run=good),
            make.a_log("d", run=bad),
        )
        wait_until(all_at(dsn, 5))
        append(log[1], make.a_log("e", run=bad), make.a_log("f", run=good))
        wait_until(all_at(dsn, 7))
    assert tallies(dsn) == {"bad": (1, 1), "good": (3, 7)}
    assert pieces(dsn) == [
        ("bad", "0: a"),
        ("bad", "1: secretpoison"),
        ("bad", "2: d"),
        ("bad", "3: e"),
        ("good", "0: b"),
        ("good", "1: c"),
        ("good", "2: f"),
    ]
    ((name, version, run, position, error),) = ask(
        dsn, "SELECT name, version, run, position, error FROM projection_fault"
    )
    assert (name, version, run, position) == ("counting", 1, "bad", 3)
    assert error.startswith("Poison at projecting.py:")
    assert "secret" not in error


def test_a_run_that_was_stopped_stays_stopped_in_the_next_process(dsn, log):
    with projecting.projecting(log, VIEWS):
        append(log[1], make.a_log("poison"))
        wait_until(all_at(dsn, 1))
    with projecting.projecting(log, VIEWS):
        append(log[1], make.a_log("a"))
        wait_until(all_at(dsn, 2))
    assert tallies(dsn) == {}


def test_an_event_that_cannot_be_decoded_is_a_fault_of_the_views_that_read_it(dsn, log):
    append(log[1], make.a_log("a"))
    (event,) = log[1].read(Position(0))
    ask_nothing(
        dsn,
        "INSERT INTO stored_events (notification_id, recorded_at, originator_version, originator_id, topic, run,"
        " digest, hash, state) SELECT 2, recorded_at, 9, originator_id, topic, run, digest, hash, '\\x00'"
        " FROM stored_events",
    )
    ask_nothing(dsn, "UPDATE chain_head SET position = 2, hash = decode(repeat('02', 32), 'hex')")
    with projecting.projecting(log, VIEWS):
        append(log[1], make.a_log("b", run=RunId("other")))
        wait_until(all_at(dsn, 3))
    assert tallies(dsn) == {"run-1": (1, 1), "other": (1, 3)}
    faults = ask(dsn, "SELECT name, run, position FROM projection_fault ORDER BY name")
    assert faults == [("counting", event.run, 2), ("keeping", event.run, 2)]


def test_a_record_that_the_database_refuses_is_a_fault_and_no_outage(dsn, log):
    def keep_nul(recorded: RecordedEvent, event: Event, records: Any) -> None:
        assert isinstance(event, LogReported)
        records.put(KEEPING.tables[0], projecting.Piece(run=RunId(event.pieces[0]), position=1, text="\0"))

    views = factories(
        (Projection(name="keeping", version=1, reads=(LogReported,), tables=KEEPING.tables, project=keep_nul),)
    )
    with projecting.projecting(log, views):
        append(log[1], make.a_log("fine"), make.a_log("a\0b", run=RunId("bad")))
        wait_until(all_at(dsn, 2))
    assert pieces(dsn) == [("fine", "\0")]
    assert ask(dsn, "SELECT run FROM projection_fault") == [("bad",)]


def test_a_version_that_somebody_else_moved_is_not_written(dsn, log):
    append(log[1], make.a_log("a"))
    with closing(writing_connection(log[0])) as conn:
        prepare(conn, VIEWS)
        held = claim(conn, VIEWS, [])
        advance(conn, held, [], Position(0))
        ask_nothing(dsn, "UPDATE projection_cohort SET position = 1")
        with pytest.raises(Fenced):
            advance(conn, held, decoded(log[1].read(Position(0)), held), Position(1))
    assert positions(dsn) == {("counting", 1): 1, ("keeping", 1): 1}
    assert (tallies(dsn), pieces(dsn)) == ({}, [])


def test_a_version_that_was_removed_is_not_written(dsn, log):
    append(log[1], make.a_log("a"))
    with closing(writing_connection(log[0])) as conn:
        prepare(conn, VIEWS)
        held = claim(conn, VIEWS, [])
        advance(conn, held, [], Position(0))
        ask_nothing(dsn, "DELETE FROM projection_serving WHERE name = 'keeping'")
        ask_nothing(dsn, "DELETE FROM projection WHERE name = 'keeping'")
        with pytest.raises(Fenced):
            advance(conn, held, decoded(log[1].read(Position(0)), held), Position(1))
        assert (tallies(dsn), pieces(dsn)) == ({}, [])
        held = claim(conn, VIEWS, held)
        with closing(log[0].connect()) as other:
            assert try_lock(other, "keeping", 1)
        advance(conn, held, decoded(log[1].read(Position(0)), held), Position(1))
    assert positions(dsn) == {("counting", 1): 1}
    assert tallies(dsn) == {"run-1": (1, 1)}


def test_versions_that_moved_together_can_be_driven_by_two(dsn, log):
    append(log[1], make.a_log("a"), make.a_log("b"))
    with closing(writing_connection(log[0])) as conn:
        prepare(conn, VIEWS)
        held = claim(conn, VIEWS, [])
        advance(conn, held, decoded(log[1].read(Position(0), limit=1), held), Position(1))
    assert ask(dsn, "SELECT count(*) FROM projection_cohort") == [(1,)]
    with closing(writing_connection(log[0])) as one, closing(writing_connection(log[0])) as other:
        wait_until(lambda: try_lock(one, "keeping", 1))
        (counting,) = claim(other, VIEWS, [])
        advance(other, [counting], decoded(log[1].read(Position(1)), [counting]), Position(2))
        assert positions(dsn) == {("counting", 1): 2, ("keeping", 1): 1}
        keeping = take(one, VIEWS["keeping"](), 1)
        assert keeping is not None
        advance(one, [keeping], decoded(log[1].read(Position(1)), [keeping]), Position(2))
    assert (tallies(dsn), pieces(dsn)) == ({"run-1": (2, 2)}, [("run-1", "0: a"), ("run-1", "1: b")])


def test_a_version_is_driven_by_one_session(dsn, log):
    with closing(log[0].connect()) as one, closing(log[0].connect()) as other:
        prepare(one, VIEWS)
        prepare(other, VIEWS)
        assert [held.name for held in claim(one, VIEWS, [])] == ["counting", "keeping"]
        assert claim(other, VIEWS, []) == []
        assert not try_lock(other, "counting", 1)
    with closing(log[0].connect()) as later:
        assert len(claim(later, VIEWS, [])) == 2


def test_versions_of_other_code_are_left_alone(dsn, log):
    with projecting.projecting(log, VIEWS):
        append(log[1], make.a_log("a"))
        wait_until(all_at(dsn, 1))
    newer = Projection(
        name="counting", version=2, reads=(LogReported,), tables=COUNTING.tables, project=COUNTING.project
    )
    with projecting.projecting(log, factories((newer,))):
        append(log[1], make.a_log("b"))
        wait_until(lambda: positions(dsn).get(("counting", 2)) == 2)
    assert positions(dsn) == {("counting", 1): 1, ("keeping", 1): 1, ("counting", 2): 2}
    assert (tallies(dsn), tallies(dsn, 2)) == ({"run-1": (1, 1)}, {"run-1": (2, 2)})


def test_the_projector_goes_on_after_its_sessions_are_ended(dsn, log):
    history = a_history(100)
    with projecting.projecting(log, VIEWS):
        append(log[1], *history[:50])
        wait_until(all_at(dsn, 50))
        ask(
            dsn,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()",
        )
        wait_until(lambda: appended(log[1], history[50:]))
        wait_until(all_at(dsn, 100))
    assert (tallies(dsn), pieces(dsn)) == model(history)


def test_the_projector_goes_on_after_the_database_was_killed(tmp_path_factory):
    history = a_history(60)
    with EmbeddedPostgres(tmp_path_factory.mktemp("killed") / "postgres") as server, a_log(server.conninfo) as log:
        with projecting.projecting(log, VIEWS):
            append(log[1], *history[:30])
            wait_until(all_at(server.conninfo, 30))
            os.kill(server.pid, signal.SIGKILL)
            wait_until(lambda: appended(log[1], history[30:]))
            wait_until(lambda: when_there(all_at(server.conninfo, 60)))
        assert (tallies(server.conninfo), pieces(server.conninfo)) == model(history)


def test_sigterm_ends_the_process(dsn, log):
    append(log[1], *a_history(3))
    command = [sys.executable, "-m", "entrypoints.cli.main", "project"]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'sdk'}", "TUNEPLANE_DATABASE_URL": dsn}
    with subprocess.Popen(command, env=environment, cwd=ROOT) as process:
        wait_until(lambda: positions(dsn) and set(positions(dsn).values()) == {3})
        process.terminate()
        assert process.wait(projecting.PATIENCE_SECONDS) == 0


def ask_nothing(dsn: str, statement: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(statement.encode())


def appended(log: PostgresEventLog, events: list[LogReported]) -> bool:
    """Whether the log took them; it may be away."""
    try:
        append(log, *events)
    except TryAgain:
        return False
    return True


def when_there(condition: Any) -> bool:
    try:
        return bool(condition())
    except psycopg.OperationalError:
        return False
