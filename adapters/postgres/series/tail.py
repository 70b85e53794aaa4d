"""The tail: events whose points are in no chunk yet. A pointer row each; the points stay in the log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from psycopg import Connection
from psycopg.rows import TupleRow

from adapters.postgres.series.tables import array
from application.series.columns import Batch, unpack
from domain.events import HardwareSampled, MetricsReported, decode
from domain.events.series import InvalidPoint
from domain.ids import Attempt, Position, RunId

Reported = MetricsReported | HardwareSampled


class TailEvent(msgspec.Struct, frozen=True):
    """One event's points."""

    position: Position
    batch: Batch
    invalid: tuple[InvalidPoint, ...] = ()


class TailSize(msgspec.Struct, frozen=True):
    """How much waits to be compacted."""

    events: int
    points: int
    series: int
    """The most series one of the events has."""


_SIZE = """
    SELECT count(*), coalesce(sum(points), 0)::int8, coalesce(max(series_count), 0)
    FROM {schema}.tail WHERE run = %s AND attempt = %s"""
_ADD = """
    INSERT INTO {schema}.tail (run, attempt, position, points, series_count)
    SELECT %s, %s, * FROM unnest(%s::int8[], %s::int4[], %s::int4[])"""
_TAKE = "DELETE FROM {schema}.tail WHERE run = %s AND attempt = %s RETURNING position"
# The events themselves: of the log, whose columns carry the names of the eventsourcing library.
_EVENTS = """
    SELECT notification_id, topic, state FROM stored_events
    WHERE notification_id = ANY(%s::int8[]) AND state IS NOT NULL ORDER BY notification_id"""


def tail_event(position: Position, event: Reported) -> TailEvent:
    """The event's points, unpacked."""
    invalid = event.invalid if isinstance(event, MetricsReported) else ()
    return TailEvent(position, unpack(event.columns), invalid)


def size(conn: Connection[TupleRow], schema: str, run: RunId, attempt: Attempt) -> TailSize:
    """What the tail of a (run, attempt) holds."""
    row = conn.execute(_SIZE.format(schema=schema).encode(), (run, attempt)).fetchone()
    return TailSize(*row) if row else TailSize(0, 0, 0)


def add(conn: Connection[TupleRow], schema: str, run: RunId, attempt: Attempt, events: Sequence[TailEvent]) -> None:
    """Points to `events`."""
    columns = (
        array(event.position for event in events),
        array(len(event.batch.steps) for event in events),
        array(len(event.batch.numbers) for event in events),
    )
    conn.execute(_ADD.format(schema=schema).encode(), (run, attempt, *columns))


def take(conn: Connection[TupleRow], schema: str, run: RunId, attempt: Attempt) -> list[TailEvent]:
    """Removes the pointers of a (run, attempt), and returns what they pointed to, in order of position."""
    rows = conn.execute(_TAKE.format(schema=schema).encode(), (run, attempt)).fetchall()
    return events_at(conn, (position for (position,) in rows))


def events_at(conn: Connection[TupleRow], positions: Iterable[Position]) -> list[TailEvent]:
    """Events of the log in order of position; erased ones are left out."""
    rows = conn.execute(_EVENTS.encode(), (array(positions),), binary=True).fetchall()
    return [_event(position, tag, payload) for position, tag, payload in rows]


def _event(position: Position, tag: str, payload: bytes) -> TailEvent:
    event = decode(tag, payload)
    if not isinstance(event, Reported):
        raise TypeError(f"the event at {position} has no points")
    return tail_event(position, event)
