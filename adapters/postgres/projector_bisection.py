"""What happens when a batch cannot be taken in: each version alone, and where one fails, event by event.

The event that cannot be taken in stops its run in that projection only; everything else goes on.
"""

from __future__ import annotations

from collections.abc import Sequence

from psycopg import Connection
from psycopg.rows import TupleRow

from adapters.postgres.projector_cohort import POSITIONS, leave
from adapters.postgres.projector_lockstep import Incoming, advance, event_of
from adapters.postgres.projector_tracked import Fenced, Tracked
from adapters.postgres.projector_tracking import is_away, stop_run
from domain.ids import Position

_HOLD = f"SELECT cohort, position FROM {POSITIONS} WHERE name = %s AND version = %s FOR UPDATE"  # noqa: S608 - constants


def advance_whatever_happens(
    conn: Connection[TupleRow], group: Sequence[Tracked], incoming: Sequence[Incoming], to: Position
) -> None:
    """As `advance`, but an event that a version cannot take in stops its run there and nothing else.

    Raises what `is_away` recognises.
    """
    try:
        advance(conn, group, incoming, to)
    except Exception as error:
        if is_away(error):
            raise
        for one in group:
            _alone(conn, one, incoming, to)


def _alone(conn: Connection[TupleRow], one: Tracked, incoming: Sequence[Incoming], to: Position) -> None:
    leave(conn, [one])
    try:
        advance(conn, [one], incoming, to)
    except Exception as error:
        if is_away(error):
            raise
        _event_by_event(conn, one, incoming, to)


def _event_by_event(conn: Connection[TupleRow], one: Tracked, incoming: Sequence[Incoming], to: Position) -> None:
    stopped = set(one.stopped)
    try:
        with conn.transaction():
            _hold(conn, one)
            for each in incoming:
                if each.recorded.tag in one.view.reads and each.recorded.run not in one.stopped:
                    _try(conn, one, each)
            conn.execute("UPDATE projection_cohort SET position = %s WHERE id = %s", (to, one.cohort))
            conn.execute("SELECT pg_notify('projected', %s)", (str(to),))
    except BaseException:
        one.stopped = stopped
        one.view.reset_cache()
        raise
    one.position = to


def _hold(conn: Connection[TupleRow], one: Tracked) -> None:
    """The fence: nobody moves or removes the version while its events are tried."""
    row = conn.execute(_HOLD, (one.name, one.number)).fetchone()
    if row != (one.cohort, one.position):
        raise Fenced


def _try(conn: Connection[TupleRow], one: Tracked, each: Incoming) -> None:
    try:
        with conn.transaction():
            one.view.project(conn, one.schema, [event_of(each)])
    except Exception as error:
        if is_away(error):
            raise
        one.view.reset_cache()
        stop_run(conn, one, each.recorded.run, each.recorded.position, error)
