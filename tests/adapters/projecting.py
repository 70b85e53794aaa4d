"""What tests of the projector share: a log to append to, small projections, and a projector in a thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import msgspec
import psycopg

from adapters.postgres.database import Database
from adapters.postgres.event_log import PostgresEventLog
from adapters.postgres.migrations.runner import migrate
from adapters.postgres.projector import Projector, StopRequest
from adapters.postgres.projector_cohort import POSITIONS
from adapters.postgres.projector_tracking import Factories
from application.event_log.settlement import as_candidate
from application.ports.event_log import EventLog, RecordedEvent
from application.ports.records import Records, RecordTable, Where
from application.projections.projection import Projection
from domain.events import Event, LogReported
from domain.ids import Position, RunId, stream_id
from domain.rules.append_next import place as placed_next

PATIENCE_SECONDS = 20


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    run: RunId
    pieces: int = 0
    last: int = 0


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    run: RunId
    position: int
    text: str


TALLY = RecordTable(name="tally", record=Tally, key=("run",), columns=("pieces",))
PIECE = RecordTable(name="piece", record=Piece, key=("run", "position"))


class Poison(Exception):
    """A fold meets something it cannot take in."""


def count_pieces(recorded: RecordedEvent, event: Event, records: Records) -> None:
    if isinstance(event, LogReported):
        if "poison" in event.pieces:
            raise Poison(*event.pieces)
        so_far = records.get(TALLY, event.run) or Tally(run=event.run)
        records.put(TALLY, Tally(run=event.run, pieces=so_far.pieces + len(event.pieces), last=recorded.position))


def keep_pieces(recorded: RecordedEvent, event: Event, records: Records) -> None:
    if isinstance(event, LogReported):
        earlier = records.count(PIECE, Where("run", "=", event.run))  # reads what this batch put, too
        text = f"{earlier}: {''.join(event.pieces)}"
        records.put(PIECE, Piece(run=event.run, position=recorded.position, text=text))


COUNTING = Projection(name="counting", version=1, reads=(LogReported,), tables=(TALLY,), project=count_pieces)
KEEPING = Projection(name="keeping", version=1, reads=(LogReported,), tables=(PIECE,), project=keep_pieces)


@contextmanager
def a_log(dsn: str) -> Iterator[tuple[Database, PostgresEventLog]]:
    """A migrated database and its log."""
    migrate(dsn)
    with closing(Database(dsn)) as database, closing(PostgresEventLog(database)) as log:
        yield database, log


def append(log: EventLog, *events: Event) -> Position:
    """Appends the events, each to a stream of its run; the last position."""
    candidates = [as_candidate(placed_next(event, stream_id("test", event.run))) for event in events]
    (placed,) = log.append([candidates])
    assert isinstance(placed, tuple), placed
    return placed[-1].position


@contextmanager
def projecting(place: tuple[Database, EventLog], views: Factories) -> Iterator[StopRequest]:
    """A projector in a thread; what ended it is raised here."""
    failures: list[BaseException] = []
    with closing(StopRequest()) as stop:

        def run() -> None:
            try:
                Projector(*place, views, stop).run()
            except BaseException as failure:  # noqa: BLE001 - raised in the test's own thread
                failures.append(failure)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield stop
        finally:
            stop.make()
            thread.join(PATIENCE_SECONDS)
            assert not thread.is_alive()
    assert failures == []


def wait_until(condition: Callable[[], Any]) -> Any:
    """What `condition` answers once that is true."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (answer := condition()):
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.01)
    return answer


def ask(dsn: str, query: str, *values: object) -> list[Any]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        return connection.execute(query, values).fetchall()


def positions(dsn: str) -> dict[tuple[str, int], int]:
    return {(name, version): at for name, version, at in ask(dsn, f"SELECT name, version, position FROM {POSITIONS}")}


def all_at(dsn: str, position: int) -> Callable[[], bool]:
    """Whether every version has come to `position`."""
    return lambda: set(positions(dsn).values()) == {position}


def tallies(dsn: str, version: int = 1) -> dict[str, tuple[int, int]]:
    rows = ask(dsn, f"SELECT body FROM proj_counting_v{version}.tally")
    found = [msgspec.msgpack.decode(body, type=Tally) for (body,) in rows]
    return {one.run: (one.pieces, one.last) for one in found}


def pieces(dsn: str, version: int = 1) -> list[tuple[str, str]]:
    rows = ask(dsn, f"SELECT body FROM proj_keeping_v{version}.piece ORDER BY run, position")
    found = [msgspec.msgpack.decode(body, type=Piece) for (body,) in rows]
    return [(one.run, one.text) for one in found]


def model(history: Sequence[LogReported]) -> tuple[dict[str, tuple[int, int]], list[tuple[str, str]]]:
    """What `tallies` and `pieces` must answer for a log that holds `history` alone."""
    counted: dict[str, tuple[int, int]] = {}
    kept: dict[str, list[str]] = {}
    for position, event in enumerate(history, 1):
        counted[event.run] = (counted.get(event.run, (0, 0))[0] + len(event.pieces), position)
        texts = kept.setdefault(event.run, [])
        texts.append(f"{len(texts)}: {''.join(event.pieces)}")
    return counted, [(run, text) for run in sorted(kept) for text in kept[run]]
