"""One batch of events into all versions that stand at the same position, in one transaction.

Where nothing has to be read or written earlier, the whole transaction is one statement: every touched table, the
position, the fence and the notification.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import psycopg
from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg.types.numeric import Int8

from adapters.postgres.binary_arrays import BinaryArray
from adapters.postgres.projector_cohort import join
from adapters.postgres.projector_tracked import Fenced, Tracked
from adapters.postgres.record_view import RecordView
from application.ports.event_log import RecordedEvent
from domain.events import Event, decode
from domain.ids import Position

# The cohort moves as the one it is believed to be, or the division by zero stops the transaction.
_MOVE = (
    "moved AS (UPDATE projection_cohort SET position = %b::int8 WHERE id = %b::int8 AND position = %b::int8"
    " AND (SELECT count(*) FROM projection WHERE cohort = %b::int8) = %b::int8 RETURNING 1)"
    " SELECT 1 / count(*)::int, pg_notify('projected', %b::text) FROM moved"
)

Statement = tuple[str, list[BinaryArray]]


class Incoming(msgspec.Struct, frozen=True):
    """One event, decoded once for every version that reads it."""

    recorded: RecordedEvent
    event: Event | None
    fault: Exception | None
    """Why it could not be decoded."""


class Transaction:
    """A transaction that is begun when it is first needed."""

    def __init__(self, conn: Connection[TupleRow]) -> None:
        self.conn = conn
        self._open = False

    def begin(self) -> None:
        """Begins it; may be repeated."""
        if not self._open:
            self.conn.execute("BEGIN")
            self._open = True

    def commit(self) -> None:
        """Commits what was begun."""
        if self._open:
            self.conn.execute("COMMIT")
            self._open = False

    def roll_back(self) -> None:
        """Undoes what was begun."""
        if self._open:
            self._open = False
            self.conn.execute("ROLLBACK")


def decoded(events: Sequence[RecordedEvent], group: Sequence[Tracked]) -> list[Incoming]:
    """The events that some version of `group` reads and whose bodies are still there."""
    tags = frozenset[str]().union(*(one.view.reads for one in group))
    return [_decoded(one, one.payload) for one in events if one.tag in tags and one.payload is not None]


def wanted(one: Tracked, incoming: Sequence[Incoming]) -> list[tuple[RecordedEvent, Event]]:
    """What `one` takes in. Raises the error of the first event that could not be decoded."""
    reads, stopped = one.view.reads, one.stopped
    return [event_of(each) for each in incoming if each.recorded.tag in reads and each.recorded.run not in stopped]


def event_of(one: Incoming) -> tuple[RecordedEvent, Event]:
    """The event and where it is in the log. Raises the error where it could not be decoded."""
    if one.event is None:
        raise one.fault or ValueError("neither event nor fault")
    return one.recorded, one.event


def advance(conn: Connection[TupleRow], group: Sequence[Tracked], incoming: Sequence[Incoming], to: Position) -> None:
    """Takes `incoming` into every version of `group` and moves all of them to `to`, in one transaction.

    Raises whatever a fold raised, after everything was rolled back; `Fenced` where a version is not where it was.
    """
    join(conn, group)
    transaction = Transaction(conn)
    try:
        statements: list[Statement] = []
        for one in group:
            events = wanted(one, incoming)
            if not events:
                continue
            if isinstance(one.view, RecordView):
                one.view.fold(conn, one.schema, events, transaction.begin)
                statements += one.view.take_waiting()
            else:
                transaction.begin()
                one.view.project(conn, one.schema, events)
        _finish(conn, group, statements, to)
        transaction.commit()
    except BaseException:
        for one in group:
            one.view.reset_cache()
        if not conn.closed:
            transaction.roll_back()
        raise
    for one in group:
        one.position = to


def _finish(
    conn: Connection[TupleRow],
    group: Sequence[Tracked],
    statements: Sequence[tuple[str, list[BinaryArray]]],
    to: Position,
) -> None:
    """Writes what the folds left, moves the position and tells who waits, in one statement."""
    parts = [f"written_{number} AS ({statement})" for number, (statement, _) in enumerate(statements)]
    parameters: list[object] = [array for _, arrays in statements for array in arrays]
    text = f"WITH {', '.join([*parts, _MOVE])}"
    one = group[0]
    move = (Int8(to), Int8(one.cohort), Int8(one.position), Int8(one.cohort), Int8(len(group)), str(to))
    try:
        conn.execute(text.encode(), [*parameters, *move], prepare=True)
    except psycopg.errors.DivisionByZero:
        raise Fenced from None


def _decoded(recorded: RecordedEvent, payload: bytes) -> Incoming:
    try:
        return Incoming(recorded, decode(recorded.tag, payload), None)
    except Exception as fault:  # noqa: BLE001 - whatever it is, it concerns this event alone and is recorded with it
        return Incoming(recorded, None, fault)
