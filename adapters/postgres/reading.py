"""Views as they are, from PostgreSQL: one question sees one moment."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import msgspec
import psycopg
from psycopg import Connection
from psycopg.rows import TupleRow

from adapters.postgres.database import Database, storable
from adapters.postgres.projected_position import ProjectedPosition, seconds_until
from adapters.postgres.projector_cohort import POSITIONS
from adapters.postgres.projector_tracked import schema_of
from adapters.postgres.record_pairs import PostgresRecordPairs
from application.ports.event_log import EventLog
from application.ports.record_pairs import PairReader
from application.ports.records import RecordTable
from application.ports.series_view import SeriesReader
from application.ports.views import START, ProjectionFault, Views
from application.projections.projection import Projection
from domain.errors import TryAgain
from domain.ids import Micros, Position, RunId

WAIT_SECONDS = 2.0
"""How long a reader waits for the projector before it answers with what there is."""
WAITING = 6
"""Readers that wait at one time; one more is answered with what there is. Each of them holds a thread."""
_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

# The version of every projection that serves, by code version, and how far it is.
_SERVING = f"""
    SELECT name, s.code_version, version, position
    FROM {POSITIONS} JOIN projection_serving s USING (name, version)
"""  # noqa: S608 - constants
# The serving versions that stopped at a run, and why.
_FAULTS = """
    SELECT name, version, f.position, error, at FROM projection_fault f
    JOIN projection_serving USING (name, version) WHERE run = %s ORDER BY name COLLATE "C"
"""
# Not bounded by a position: some views may be ahead of the others.
_CHANGED = "SELECT DISTINCT run FROM stored_events WHERE notification_id > %s"

OpenSeries = Callable[[Connection[TupleRow], str], SeriesReader]
"""(connection, schema) -> the curves of one family, read in the connection's transaction."""
AsOf = Callable[..., AbstractContextManager[Views]]
"""(run, position, other runs…) -> their views as they were."""


class SeriesSource(msgspec.Struct, frozen=True, kw_only=True):
    """Where the curves of one family are."""

    view: str
    """Name of the view."""
    version: int
    """Of its code."""
    open: OpenSeries


class PostgresViews:
    """The views in one snapshot; see the port."""

    def __init__(
        self,
        conn: Connection[TupleRow],
        serving: Mapping[str, int],
        position: Position,
        log: EventLog,
        sources: tuple[Mapping[RecordTable[Any], str], SeriesSource, SeriesSource],
    ) -> None:
        tables, scalars, hardware = sources
        schemas = {name: schema_of(name, version) for name, version in serving.items()}
        self.position = position
        self.log = log
        self.records: PairReader = PostgresRecordPairs(conn, {table: schemas[name] for table, name in tables.items()})
        self.scalars = scalars.open(conn, schemas[scalars.view])
        self.hardware = hardware.open(conn, schemas[hardware.view])
        self._conn = conn
        self._serving = serving

    def changed(self, after: Position, most: int) -> set[RunId] | None:
        if self.position - after > most:
            return None
        return {run for (run,) in self._conn.execute(_CHANGED, (after,), binary=True).fetchall()}

    def faults(self, run: RunId) -> list[ProjectionFault]:
        rows = self._conn.execute(_FAULTS, (run,)).fetchall() if storable(run) else []
        return [
            ProjectionFault(projection=name, position=Position(position), error=error, at=Micros(at))
            for name, version, position, error, at in rows
            if self._serving.get(name) == version
        ]


class PostgresReading:
    """See the port. `close` ends its listener; the database is the caller's."""

    def __init__(
        self,
        database: Database,
        log: EventLog,
        projections: Sequence[Projection],
        *,
        scalars: SeriesSource,
        hardware: SeriesSource,
        as_of: AsOf,
    ) -> None:
        self._database = database
        self._log = log
        self._sources = ({table: one.name for one in projections for table in one.tables}, scalars, hardware)
        self._code = {one.name: one.version for one in projections}
        self._code |= {scalars.view: scalars.version, hardware.view: hardware.version}
        self._as_of = as_of
        self._projected = ProjectedPosition(database)
        self._waiting = threading.BoundedSemaphore(WAITING)

    @contextmanager
    def now(self, min_position: Position = START) -> Iterator[PostgresViews]:
        deadline = time.monotonic() + WAIT_SECONDS
        if self._projected.behind(min_position) and not self._waited(min_position, deadline):
            deadline = 0.0
        while True:
            with self._snapshot() as views:
                if views.position >= min_position or time.monotonic() >= deadline:
                    yield views
                    return
            # The connection goes back to the pool while this reader waits.
            if not self._waited(min_position, deadline):
                deadline = 0.0

    def at(self, run: RunId, as_of: Position, *beside: RunId) -> AbstractContextManager[Views]:
        return self._as_of(run, as_of, *beside)

    def await_news(self, after: Position, seconds: float) -> Position:
        return self._projected.news(after, seconds)

    def close(self) -> None:
        """Ends the listener. May be repeated."""
        self._projected.close()

    def _waited(self, position: Position, deadline: float) -> bool:
        """Waits until the views may be at `position`, or time is up; False where as many wait as may."""
        if not self._waiting.acquire(blocking=False):
            return False
        try:
            self._projected.wait(position, seconds_until(deadline))
        finally:
            self._waiting.release()
        return True

    @contextmanager
    def _snapshot(self) -> Iterator[PostgresViews]:
        with self._database.connection() as conn:
            conn.execute(_SNAPSHOT)
            try:
                serving, position = self._serving(conn)
                yield PostgresViews(conn, serving, position, self._log, self._sources)
            except psycopg.errors.UndefinedTable:
                raise TryAgain("A view was replaced while it was read. Repeat it.") from None
            finally:
                if not conn.closed:
                    conn.rollback()

    def _serving(self, conn: Connection[TupleRow]) -> tuple[dict[str, int], Position]:
        """The version of each view that serves this code, and the position that all of them have taken in."""
        rows = [row for row in conn.execute(_SERVING).fetchall() if self._code.get(row[0]) == row[1]]
        serving = {name: version for name, _, version, _ in rows}
        if len(serving) < len(self._code):
            raise TryAgain("The views are being made. Repeat it in a moment.")
        return serving, Position(min((position for *_, position in rows), default=0))
