"""Questions see one moment, wait for what they were promised, and say how far they are when it does not come."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import psycopg
import pytest

from adapters.memory.reading import MemoryReading
from adapters.postgres import reading as postgres_reading
from adapters.postgres.database import Database
from adapters.postgres.event_log import PostgresEventLog
from adapters.postgres.projection_store import PostgresProjectionStore
from adapters.postgres.projector_tracking import factories, prepare
from adapters.postgres.reading import WAITING, PostgresReading, SeriesSource
from application.ports.event_log import EventLog
from application.ports.records import Where
from application.ports.views import Views
from domain.errors import Refused, TryAgain
from domain.ids import Position, RunId
from tests import factories as make
from tests.adapters.projecting import (
    COUNTING,
    KEEPING,
    PIECE,
    TALLY,
    Tally,
    a_log,
    all_at,
    append,
    projecting,
    wait_until,
)

VIEWS = factories((COUNTING, KEEPING))
RUN = RunId("run-1")
Place = tuple[Database, PostgresEventLog]


class NoCurves:
    """Stands where these stories need no series."""

    def project(self, events: object) -> None:
        """Takes in nothing."""


def no_curves(*_: object) -> Any:
    return NoCurves()


def history_of(log: EventLog) -> MemoryReading:
    return MemoryReading(log, (COUNTING, KEEPING), scalars=no_curves, hardware=no_curves)


def reading_of(place: Place) -> PostgresReading:
    database, log = place
    source = SeriesSource(view="keeping", version=1, open=no_curves)
    as_of = history_of(log).at
    return PostgresReading(database, log, (COUNTING, KEEPING), scalars=source, hardware=source, as_of=as_of)


@pytest.fixture
def log(dsn: str) -> Iterator[Place]:
    with a_log(dsn) as both:
        yield both


@pytest.fixture
def reading(log: Place) -> Iterator[PostgresReading]:
    with log[0].connection() as conn:
        prepare(conn, VIEWS)
    with closing(reading_of(log)) as made:
        yield made


def pieces_of(views: Views, run: RunId = RUN) -> int:
    tally = views.records.get(TALLY, run)
    return 0 if tally is None else tally.pieces


def opened(reading: PostgresReading, min_position: Position) -> int:
    with reading.now(min_position) as views:
        return views.position


def test_a_read_waits_for_what_it_was_promised(dsn, log, reading):
    with projecting(log, VIEWS):
        for number in range(1, 50):
            position = append(log[1], make.a_log("x"))
            with reading.now(position) as views:
                assert views.position >= position
                assert pieces_of(views) == number


def test_many_readers_wait_together(dsn, log, reading):
    with ThreadPoolExecutor(WAITING) as readers:
        answers = [readers.submit(opened, reading, Position(1)) for _ in range(WAITING)]
        wait_until(lambda: reading._projected._thread is not None)
        append(log[1], make.a_log("x"))
        with projecting(log, VIEWS):
            assert {one.result() for one in answers} == {1}


def test_one_reader_more_than_may_wait_is_answered_with_what_there_is(dsn, log, reading, monkeypatch):
    monkeypatch.setattr(postgres_reading, "WAIT_SECONDS", 60.0)
    with ThreadPoolExecutor(WAITING) as readers:
        answers = [readers.submit(opened, reading, Position(1)) for _ in range(WAITING)]
        wait_until(lambda: reading._waiting._value == 0)
        assert opened(reading, Position(1)) == 0
        append(log[1], make.a_log("x"))
        with projecting(log, VIEWS):
            assert {one.result() for one in answers} == {1}
    assert opened(reading, Position(1)) == 1


def test_a_read_that_is_not_served_in_time_answers_with_what_there_is(log, reading, monkeypatch):
    monkeypatch.setattr(postgres_reading, "WAIT_SECONDS", 0.3)
    position = append(log[1], make.a_log("x"))
    with reading.now(position) as views:
        assert (views.position, pieces_of(views)) == (0, 0)


def test_a_waiting_read_holds_no_connection(dsn, log):
    with closing(Database(dsn, pool_size=1)) as narrow, closing(PostgresEventLog(narrow)) as own:
        with narrow.connection() as conn:
            prepare(conn, VIEWS)
        with closing(reading_of((narrow, own))) as made, ThreadPoolExecutor(1) as reader:
            waiting = reader.submit(opened, made, Position(1))
            wait_until(lambda: made._projected._thread is not None)
            with made.now() as views:
                assert views.position == 0
            append(log[1], make.a_log("x"))
            with projecting(log, VIEWS):
                assert waiting.result() == 1


def test_a_read_finds_out_by_itself_when_the_listener_is_gone(dsn, log, reading, monkeypatch):
    monkeypatch.setattr(postgres_reading, "WAIT_SECONDS", 20.0)
    with ThreadPoolExecutor(1) as reader:
        waiting = reader.submit(opened, reading, Position(1))
        wait_until(lambda: reading._projected._listening)
        monkeypatch.setattr(reading._projected, "_database", Database("host=/nowhere"))
        with psycopg.connect(dsn, autocommit=True) as conn:
            conn.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE query LIKE '%min(position)%' AND pid <> pg_backend_pid() AND datname = current_database()"
            )
        wait_until(lambda: not reading._projected._listening)
        append(log[1], make.a_log("x"))
        with projecting(log, VIEWS):
            assert waiting.result() == 1


def test_one_answer_is_one_moment(dsn, log, reading):
    with projecting(log, VIEWS):
        append(log[1], make.a_log("x"))
        with reading.now(Position(1)) as views:
            before = pieces_of(views)
            append(log[1], make.a_log("y"))
            wait_until(all_at(dsn, 2))
            assert (pieces_of(views), before, views.position) == (1, 1, 1)
            assert views.records.count(PIECE) == 1


def test_the_version_that_serves_is_read(log, reading):
    store = PostgresProjectionStore(log[0], log[1], VIEWS)
    append(log[1], make.a_log("x"))
    store.fill("keeping", 1, lambda *_: None)
    store.fill("counting", store.add("counting"), lambda *_: None)
    with reading.now() as views:
        assert (views.position, pieces_of(views)) == (0, 0)
    store.promote("counting", 2)
    with reading.now() as views:
        assert (views.position, pieces_of(views)) == (1, 1)


def test_views_that_were_never_made_are_asked_for_again(log):
    made = reading_of(log)
    with pytest.raises(TryAgain), made.now():
        pass


def test_nothing_can_be_written_through_a_read(reading):
    with reading.now() as views, pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        views._conn.execute("DELETE FROM projection")


def test_a_fault_shows_on_its_run_and_on_no_other(dsn, log, reading):
    poisoned, fine = RunId("poisoned"), RunId("fine")
    with projecting(log, VIEWS):
        position = append(
            log[1], make.a_log("poison", run=poisoned), make.a_log("a", run=fine), make.a_log("b", run=poisoned)
        )
        with reading.now(position) as views, history_of(log[1]).now() as in_memory:
            (fault,) = views.faults(poisoned)
            (twin,) = in_memory.faults(poisoned)
            assert (fault.projection, fault.position) == (twin.projection, twin.position) == ("counting", 1)
            assert fault.error == twin.error
            assert views.faults(fine) == in_memory.faults(fine) == views.faults(RunId("\0")) == []
            assert pieces_of(views, fine) == pieces_of(in_memory, fine) == 1
            assert pieces_of(views, poisoned) == pieces_of(in_memory, poisoned) == 0


def test_a_fault_of_other_code_does_not_show(dsn, reading):
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("INSERT INTO projection SELECT 'counting', 9, 9, id FROM projection_cohort LIMIT 1")
        conn.execute("INSERT INTO projection_serving VALUES ('counting', 9, 9)")
        conn.execute("INSERT INTO projection_fault VALUES ('counting', 9, 'run-1', 1, 'Poison', 0)")
    with reading.now() as views:
        assert views.faults(RUN) == []


def test_a_run_is_read_as_it_was(log, reading):
    append(log[1], make.a_log("a"), make.a_log("b", run=RunId("other")), make.a_log("c"), make.a_log("d"))
    seen = []
    for as_of in range(5):
        with reading.at(RUN, Position(as_of)) as views:
            assert views.position == as_of
            assert views.records.get(TALLY, RunId("other")) is None
            seen.append((pieces_of(views), views.records.count(PIECE, Where("run", "=", RUN))))
    assert seen == [(0, 0), (1, 1), (1, 1), (2, 2), (3, 3)]
    with pytest.raises(Refused, match="position 4"), reading.at(RUN, Position(5)):
        pass


def test_memory_and_database_read_the_same(log, reading):
    with projecting(log, VIEWS):
        position = append(log[1], *(make.a_log("x", run=RunId(f"run-{n % 3}")) for n in range(200)))
        with reading.now(position) as views, history_of(log[1]).now(position) as in_memory:
            assert views.position == in_memory.position == 200
            assert views.records.find(TALLY) == in_memory.records.find(TALLY)
            assert views.records.find(PIECE) == in_memory.records.find(PIECE)


def test_memory_goes_on_where_it_stopped(log):
    reading = history_of(log[1])
    append(log[1], make.a_log("x"))
    with reading.now() as views:
        assert pieces_of(views) == 1
    append(log[1], make.a_log("y"))
    with reading.now() as views:
        assert views.records.get(TALLY, RUN) == Tally(run=RUN, pieces=2, last=2)


@pytest.fixture(params=["postgres", "memory"])
def any_reading(request, log, reading) -> Any:
    return reading if request.param == "postgres" else history_of(log[1])


def test_views_tell_the_runs_of_which_something_was_reported_since_a_position(log, any_reading):
    runs = [RunId("a"), RunId("b"), RunId("a"), RunId("c")]
    with projecting(log, VIEWS):
        first, *_, last = [append(log[1], make.a_log("x", run=run)) for run in runs]
        with any_reading.now(last) as views:
            assert views.changed(Position(0), 10) == {"a", "b", "c"}
            assert views.changed(first, 10) == {"a", "b", "c"}
            assert views.changed(Position(2), 10) == {"a", "c"}
            assert views.changed(Position(3), 10) == {"c"}
            assert views.changed(last, 10) == set()
            assert views.changed(Position(0), 4) == {"a", "b", "c"}
            assert views.changed(Position(0), 3) is None
