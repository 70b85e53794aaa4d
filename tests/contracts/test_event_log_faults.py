"""The log in PostgreSQL, when processes race, are killed or stand still, and when the database goes away."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from adapters.embedded_postgres.launcher import EmbeddedPostgres
from adapters.memory.event_log import MemoryEventLog
from adapters.postgres.database import Database
from adapters.postgres.event_log import PostgresEventLog
from adapters.postgres.migrations.runner import migrate
from application.commands.export_log import export_log
from application.commands.import_log import import_log
from application.commands.verify_log import verify_log
from application.event_log.group_commit import GroupCommit
from application.ports.event_log import EventLog, Fate
from domain.errors import TryAgain
from domain.ids import Micros, stream_id
from tests.contracts.event_log import (
    LATEST_SHOWS,
    START,
    append,
    append_one,
    everything,
    fates,
    is_sound,
    placed,
    positions,
    wait_until,
)
from tests.factories import NOON, a_log

ROOT = Path(__file__).parents[2]
WRITER = Path(__file__).with_name("event_log_writer.py")
_WAITING = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"


@pytest.fixture
def log(database: Database) -> Iterator[PostgresEventLog]:
    log = PostgresEventLog(database)
    yield log
    log.close()


@pytest.fixture
def other(migrated: str) -> Iterator[psycopg.Connection]:
    """Somebody else's session."""
    with psycopg.connect(migrated, autocommit=True) as connection:
        yield connection


@contextmanager
def writing(dsn: str, name: str, groups: int) -> Iterator[subprocess.Popen[str]]:
    """A process that appends; killed at the end, in case it is still there."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'sdk'}"}
    command = [sys.executable, "-W", "error", str(WRITER), dsn, name, str(groups)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT) as process:
        try:
            yield process
        finally:
            process.kill()


def acknowledged(output: str) -> list[list[int]]:
    """[number, first position, second position, whether the shared event was its own] of each whole line."""
    return [[int(word) for word in line.split()] for line in output.splitlines(keepends=True) if line.endswith("\n")]


def stored_of(log: EventLog, name: str) -> dict[int, int]:
    """Version -> position in the writer's own stream."""
    return {event.version: event.position for event in log.stream(stream_id("own", name))}


@contextmanager
def blocking(other: psycopg.Connection, statement: str) -> Iterator[None]:
    with other.transaction():
        other.execute(statement.encode())
        yield


HEAD_TAKEN = "SELECT FROM chain_head FOR UPDATE"
INSERTS_WAIT = "LOCK TABLE stored_events IN SHARE MODE"


def waiting_backends(dsn: str) -> list[int]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        return [pid for (pid,) in connection.execute(_WAITING).fetchall()]


class TestProcesses:
    def test_four_processes_write_one_log_without_gaps_and_nothing_twice(self, migrated, log):
        groups, names = 40, ["a", "b", "c", "d"]
        with (
            writing(migrated, "a", groups) as a,
            writing(migrated, "b", groups) as b,
            writing(migrated, "c", groups) as c,
            writing(migrated, "d", groups) as d,
        ):
            outputs = [process.communicate(timeout=60)[0] for process in (a, b, c, d)]
        events = everything(log)
        assert is_sound(events)
        # Per process: two events of its own and one that is always appended, a group; of the shared ones one for all.
        assert len(events) == 4 * groups * 3 + groups
        assert log.head().position == len(events)
        assert sorted(event.version for event in log.stream(stream_id("common"))) == list(range(1, 4 * groups + 1))
        assert sum(one for output in outputs for *_, one in acknowledged(output)) == groups
        for name, output in zip(names, outputs, strict=True):
            stored = stored_of(log, name)
            assert [
                [stored[number * 2], stored[number * 2 + 1]] for number in range(1, groups + 1)
            ] == [line[1:3] for line in acknowledged(output)]  # fmt: skip

    @pytest.mark.parametrize("lines", [1, 7, 20])
    def test_a_process_killed_while_it_writes_tears_nothing(self, migrated, log, lines):
        with writing(migrated, "a", 0) as process:
            told = process.stdout
            assert told is not None
            output = "".join(told.readline() for _ in range(lines))
            process.kill()
            output += told.read()
        append_one(log, placed("afterwards"))
        events = everything(log)
        assert is_sound(events)
        stored = stored_of(log, "a")
        assert all(
            [stored[n * 2], stored[n * 2 + 1]] == [first, second] for n, first, second, _ in acknowledged(output)
        )
        assert len(acknowledged(output)) >= lines
        assert set(stored) == set(range(2, len(stored) + 2))
        assert len(stored) % 2 == 0

    @pytest.mark.parametrize("where", [HEAD_TAKEN, INSERTS_WAIT])
    def test_a_process_killed_in_the_critical_section_leaves_nothing(self, migrated, log, other, where):
        with blocking(other, where), writing(migrated, "a", 1) as process:
            wait_until(lambda: len(waiting_backends(migrated)) == 1, "the writer waits for the lock")
            process.kill()
            process.wait()
        assert positions(append_one(log, placed("afterwards"))) == [log.head().position]
        events = everything(log)
        assert is_sound(events)
        # Its server may still have carried out what was sent, but only as a whole.
        assert len(events) in (1, 5)

    def test_a_process_that_stands_still_in_the_critical_section_is_thrown_out(self, database, log):
        entered, resumed = threading.Event(), threading.Event()
        errors: list[Exception] = []

        def standing_still() -> Micros:
            entered.set()
            resumed.wait(60)
            return NOON

        stalled = PostgresEventLog(database, standing_still)

        def stall() -> None:
            try:
                append_one(stalled, placed("stalled"))
            except TryAgain as error:
                errors.append(error)

        thread = threading.Thread(target=stall)
        thread.start()
        assert entered.wait(20)
        append_one(log, placed("meanwhile", 2))
        resumed.set()
        thread.join()
        stalled.close()
        assert [type(error) for error in errors] == [TryAgain]
        assert [event.version for event in everything(log)] == [2]


class TestDatabaseAway:
    def test_an_idle_connection_that_was_closed_is_replaced(self, log, other):
        append_one(log, placed("a"))
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        assert positions(append_one(log, placed("b", 2))) == [2]

    @pytest.mark.parametrize("where", [HEAD_TAKEN, INSERTS_WAIT])
    def test_a_backend_killed_while_it_appends_says_try_again_and_the_next_append_works(
        self, migrated, log, other, where
    ):
        outcome: list[object] = []

        def report() -> None:
            try:
                outcome.append(append_one(log, placed("a")))
            except TryAgain as error:
                outcome.append(error)

        with blocking(other, where):
            thread = threading.Thread(target=report)
            thread.start()
            wait_until(lambda: len(waiting_backends(migrated)) == 1, "the append waits")
            (pid,) = waiting_backends(migrated)
            with psycopg.connect(migrated, autocommit=True) as killer:
                killer.execute("SELECT pg_terminate_backend(%s)", (pid,))
            thread.join()
        assert [type(one) for one in outcome] == [TryAgain]
        assert positions(append_one(log, placed("a"))) == [1]

    def test_a_database_that_was_killed_comes_back_with_everything_acknowledged(self):
        # Not below pytest's own folder, which the account that PostgreSQL runs under cannot reach.
        folder = Path(tempfile.mkdtemp(prefix="tuneplane-tests-"))
        server = EmbeddedPostgres(folder / "postgres")
        dsn = server.start()
        try:
            migrate(dsn)
            with closing(Database(dsn)) as database, closing(PostgresEventLog(database)) as log:
                append_one(log, placed("a"))
                log.read(START)
                killed = server.pid
                os.kill(killed, signal.SIGKILL)
                # The sessions of a killed server answer for a moment longer: what they say is no sign of the next one.
                wait_until(lambda: server.pid != killed, "the database is started again")

                def versions() -> list[int]:
                    try:
                        append_one(log, placed("b", 2))
                        return [event.version for event in log.read(START)]
                    except TryAgain:
                        return []

                wait_until(lambda: versions() == [1, 2], "the database is back with what was acknowledged")
                assert is_sound(everything(log))
        finally:
            server.stop()
            shutil.rmtree(folder)

    def test_a_database_that_is_not_there_says_try_again_without_telling_where_it_is(self, tmp_path):
        database = Database(f"host={tmp_path} dbname=hidden password=hush")
        log = PostgresEventLog(database)
        for ask in (
            lambda: append(log, [placed()]),
            log.head,
            lambda: log.read(START),
            lambda: log.stream(stream_id("x")),
        ):
            with pytest.raises(TryAgain) as caught:
                ask()
            assert not any(word in str(caught.value) for word in ("hush", "hidden", str(tmp_path)))
        log.close()
        database.close()

    def test_what_postgresql_cannot_store_concerns_its_own_request_alone(self, log):
        commits = GroupCommit(log)
        commits.start()
        commits.append_now([placed("a")])
        with pytest.raises(psycopg.DataError):
            commits.append_now([placed(a_log("x", run="nul\0"), 2)])
        assert commits.append_now([placed("b", 3)]).position == 2
        commits.stop()


class TestNotifications:
    def test_readers_are_called_once_an_append_with_the_last_position(self, log, other):
        other.execute("LISTEN appended")
        append(log, [placed("a"), placed("b", 2)], [placed("c", 3)])
        append_one(log, placed("a"))
        append_one(log, placed("d", 4))
        assert [call.payload for call in other.notifies(timeout=5, stop_after=2)] == ["3", "4"]
        assert list(other.notifies(timeout=0)) == []


class TestStore:
    @pytest.mark.parametrize(
        "statement",
        [
            "UPDATE stored_events SET state = 'x'",
            "UPDATE stored_events SET run = 'x'",
            "UPDATE stored_events SET state = NULL, run = 'x'",
            "DELETE FROM stored_events",
            "TRUNCATE stored_events",
        ],
    )
    def test_the_store_refuses_to_rewrite_the_log(self, log, other, statement):
        append_one(log, placed("a"))
        before = everything(log)
        with pytest.raises(psycopg.errors.RaiseException, match="never changed"):
            other.execute(statement.encode())
        assert everything(log) == before

    def test_bodies_are_stored_as_they_come(self, log, other):
        append_one(log, placed("x" * 100_000))
        assert other.execute(
            "SELECT attstorage, pg_column_size(state) > 100000 FROM stored_events, pg_attribute"
            " WHERE attrelid = 'stored_events'::regclass AND attname = 'state'"
        ).fetchall() == [("e", True)]


class TestTampering:
    """What somebody with the database in his hands may do, the guards of the table taken away."""

    @pytest.mark.parametrize(
        ("statement", "position"),
        [
            ("UPDATE stored_events SET state = 'other' WHERE notification_id = 3", 3),
            ("UPDATE stored_events SET state = 'other', digest = sha256('other') WHERE notification_id = 3", 3),
            ("UPDATE stored_events SET run = 'other' WHERE notification_id = 3", 3),
            ("UPDATE stored_events SET recorded_at = recorded_at + 1 WHERE notification_id = 3", 3),
            ("UPDATE stored_events SET notification_id = 5 - notification_id WHERE notification_id IN (2, 3)", 2),
            ("DELETE FROM stored_events WHERE notification_id = 3", 3),
            ("DELETE FROM stored_events WHERE notification_id >= 3", 3),
            ("UPDATE chain_head SET hash = sha256('other')", 4),
        ],
    )
    def test_it_is_found_and_its_first_position_named(self, log, other, statement, position):
        append_one(log, *(placed(f"{n}", n) for n in range(1, 5)))
        assert verify_log(log).fault is None
        other.execute("ALTER TABLE stored_events DISABLE TRIGGER USER")
        # Swapped positions pass through each other.
        other.execute("DROP INDEX stored_events_position")
        other.execute(statement.encode())
        fault = verify_log(log).fault
        assert fault is not None
        assert fault.position == position

    def test_an_end_cut_off_with_its_head_shows_against_a_published_head(self, log, other):
        append_one(log, *(placed(f"{n}", n) for n in range(1, 5)))
        published = log.head()
        other.execute("ALTER TABLE stored_events DISABLE TRIGGER USER")
        other.execute("DELETE FROM stored_events WHERE notification_id = 4")
        other.execute(
            "UPDATE chain_head SET (position, hash) = (SELECT 3, hash FROM stored_events WHERE notification_id = 3)"
        )
        assert verify_log(log).fault is None
        fault = verify_log(log, [published]).fault
        assert fault is not None
        assert fault.position == 4

    def test_an_erased_body_is_proven_by_its_digest_and_never_brought_back(self, log, other):
        append_one(log, *(placed(f"{n}", n) for n in range(1, 5)))
        other.execute("UPDATE stored_events SET state = NULL WHERE notification_id = 3")
        checked = verify_log(log)
        assert (checked.bodies, checked.erased, checked.fault) == (3, 1, None)
        assert fates(append_one(log, placed("3", 3), placed("other", 3))) == [Fate.DUPLICATE, Fate.DUPLICATE]
        assert log.read(START)[2].payload is None
        assert log.head().position == 4

    def test_a_version_that_follows_an_erased_one_is_appended(self, log, other):
        append_one(log, placed("a", None, settle=LATEST_SHOWS))
        other.execute("UPDATE stored_events SET state = NULL")
        assert fates(append_one(log, placed("a", None, settle=LATEST_SHOWS))) == [Fate.DUPLICATE]
        assert fates(append_one(log, placed("b", None, settle=LATEST_SHOWS))) == [Fate.ACCEPTED]

    def test_an_export_of_a_log_with_an_erased_body_fills_another(self, log, other, migrated):
        append_one(log, placed("a"), placed("b" * 10_000, 2))
        other.execute("UPDATE stored_events SET state = NULL WHERE notification_id = 1")
        lines = list(export_log(log))
        copy = MemoryEventLog()
        assert import_log(lines, copy) == log.head()
        assert everything(copy) == everything(log)
