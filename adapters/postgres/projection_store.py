"""The versions of projections in PostgreSQL, each in a schema of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg
from psycopg import Connection
from psycopg.rows import TupleRow

from adapters.postgres.database import Database, asking_again
from adapters.postgres.projector import catch_up
from adapters.postgres.projector_cohort import POSITIONS, remove_empty
from adapters.postgres.projector_tracked import Fenced, Tracked, schema_of
from adapters.postgres.projector_tracking import Factories, add_version, take, writing_connection
from adapters.postgres.record_sql import quoted
from adapters.postgres.special_view import SpecialView
from application.ports.event_log import EventLog
from application.ports.projection_store import Progress, ProjectionVersion
from domain.errors import Refused, TryAgain, UnknownThing
from domain.ids import Position

_STILL_SECONDS = 30.0
"""After so long without any progress nobody is waited for."""
_LOOK_SECONDS = 0.1
_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

# Every version, whether it serves the code that made it, the runs it stopped at, and the bytes of its schema.
_VERSIONS = """
    SELECT p.name, p.version, p.code_version, c.position, s.version IS NOT NULL,
           (SELECT count(*) FROM projection_fault f WHERE f.name = p.name AND f.version = p.version),
           (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::int8 FROM pg_class c
             WHERE c.relkind = 'r' AND c.relnamespace = to_regnamespace('proj_' || p.name || '_v' || p.version))
    FROM projection p JOIN projection_cohort c ON c.id = p.cohort
    LEFT JOIN projection_serving s
        ON s.name = p.name AND s.code_version = p.code_version AND s.version = p.version
    WHERE %(name)s::text IS NULL OR p.name = %(name)s::text
    ORDER BY p.name COLLATE "C", p.version
"""


class PostgresProjectionStore:
    """See the port. `views` are those of this code."""

    def __init__(self, database: Database, log: EventLog, views: Factories) -> None:
        self._database = database
        self._log = log
        self._views = views

    def versions(self, name: str | None = None) -> list[ProjectionVersion]:
        with self._database.connection() as conn:
            rows = conn.execute(_VERSIONS, {"name": name}).fetchall()
        return [
            ProjectionVersion(
                name=of,
                version=version,
                code_version=code,
                position=Position(position),
                serving=serves and self._is_ours(of, code),
                faults=faults,
                size_bytes=size,
            )
            for of, version, code, position, serves, faults, size in rows
        ]

    def add(self, name: str) -> int:
        with self._database.connection() as conn:
            return add_version(conn, self._view(name))

    def fill(self, name: str, version: int, progress: Progress) -> Position:
        with closing(writing_connection(self._database)) as conn, asking_again():
            began, last = time.monotonic(), Position(-1)
            while True:
                try:
                    one = take(conn, self._view(name), version)
                    if one is not None:
                        return self._fill(conn, one, progress)
                except Fenced:
                    raise TryAgain(f"Version {version} of {name!r} was moved or removed meanwhile.") from None
                position, head = _position(conn, name, version), self._log.head().position
                progress(position, head)
                if position >= head:
                    return position
                if position > last:
                    began, last = time.monotonic(), position
                elif time.monotonic() - began > _STILL_SECONDS:
                    raise TryAgain(f"Another process holds version {version} of {name!r} and does not move it.")
                time.sleep(_LOOK_SECONDS)

    @contextmanager
    def contents(self, name: str, left: int, right: int) -> Iterator[_Snapshot]:
        view = self._view(name)
        with closing(self._database.connect()) as one, closing(self._database.connect()) as other, asking_again():
            position = self._same_position(one, name, left, right)
            snapshot = one.execute("SELECT pg_export_snapshot()").fetchone() or ("",)
            other.execute(_SNAPSHOT)
            other.execute(f"SET TRANSACTION SNAPSHOT '{snapshot[0]}'".encode())
            yield _Snapshot(position, (view, one, schema_of(name, left)), (view, other, schema_of(name, right)))

    def promote(self, name: str, version: int) -> None:
        view = self._view(name)
        with self._database.transaction() as conn:
            rows = conn.execute(
                "SELECT p.version, c.position, p.code_version, s.version IS NOT NULL"
                " FROM projection p JOIN projection_cohort c ON c.id = p.cohort"
                " LEFT JOIN projection_serving s"
                "   ON s.name = p.name AND s.version = p.version AND s.code_version = %s"
                # The projector waits, so that both stand still while they are compared.
                " WHERE p.name = %s FOR UPDATE OF c",
                (view.version, name),
            ).fetchall()
            chosen = next((row for row in rows if row[0] == version), None)
            if chosen is None:
                raise UnknownThing(f"There is no version {version} of {name!r}.")
            if chosen[2] != view.version:
                raise Refused(f"Version {version} of {name!r} was made by other code than this.")
            ahead = max((position for _, position, _, serves in rows if serves), default=0)
            if chosen[1] < ahead:
                raise Refused(f"Version {version} of {name!r} is behind the one that serves: {chosen[1]} of {ahead}.")
            conn.execute(
                "UPDATE projection_serving SET version = %s WHERE name = %s AND code_version = %s",
                (version, name, view.version),
            )

    def drop(self, name: str, version: int) -> None:
        with self._database.connection() as conn:
            # First the entry, in a transaction of its own: the projector sees that it is gone (its fence) and lets
            # go of the tables. Both at once would wait for each other.
            with conn.transaction():
                self._remove_entry(conn, name, version)
            conn.execute(f"DROP SCHEMA IF EXISTS {quoted(schema_of(name, version))} CASCADE".encode())

    def _remove_entry(self, conn: Connection[TupleRow], name: str, version: int) -> None:
        try:
            gone = conn.execute("DELETE FROM projection WHERE name = %s AND version = %s", (name, version))
        except psycopg.errors.ForeignKeyViolation:
            raise Refused(f"Version {version} of {name!r} serves.") from None
        if not gone.rowcount:
            raise UnknownThing(f"There is no version {version} of {name!r}.")
        remove_empty(conn)
        conn.execute("NOTIFY projections")

    def _view(self, name: str) -> SpecialView:
        factory = self._views.get(name)
        if factory is None:
            raise UnknownThing(f"There is no projection {name!r}; there are {', '.join(sorted(self._views))}.")
        return factory()

    def _is_ours(self, name: str, code_version: int) -> bool:
        factory = self._views.get(name)
        return factory is not None and factory().version == code_version

    def _fill(self, conn: Connection[TupleRow], one: Tracked, progress: Progress) -> Position:
        while True:
            head = self._log.head().position
            progress(one.position, head)
            if one.position >= head:
                return one.position
            while one.position < head:
                catch_up(conn, self._log, [one], head)
                progress(one.position, head)

    def _same_position(self, conn: Connection[TupleRow], name: str, left: int, right: int) -> Position:
        """Leaves `conn` in a transaction in whose snapshot both versions stand at the position answered."""
        deadline = time.monotonic() + _STILL_SECONDS
        while True:
            conn.execute(_SNAPSHOT)
            one, other = _position(conn, name, left), _position(conn, name, right)
            if one == other:
                return one
            conn.execute("ROLLBACK")
            if time.monotonic() > deadline:
                raise TryAgain(f"Versions {left} and {right} of {name!r} do not meet: they are at {one} and {other}.")
            for version in (left, right):
                self.fill(name, version, lambda *_: None)


class _Snapshot:
    """Two versions in one snapshot, each read on a connection of its own."""

    def __init__(
        self,
        position: Position,
        left: tuple[SpecialView, Connection[TupleRow], str],
        right: tuple[SpecialView, Connection[TupleRow], str],
    ) -> None:
        self.position = position
        self._left = left
        self._right = right

    def left(self) -> Iterator[tuple[str, bytes]]:
        view, conn, schema = self._left
        return view.fingerprint(conn, schema)

    def right(self) -> Iterator[tuple[str, bytes]]:
        view, conn, schema = self._right
        return view.fingerprint(conn, schema)


def _position(conn: Connection[TupleRow], name: str, version: int) -> Position:
    row = conn.execute(
        f"SELECT position FROM {POSITIONS} WHERE name = %s AND version = %s",  # noqa: S608 - constants
        (name, version),
    ).fetchone()
    if row is None:
        raise UnknownThing(f"There is no version {version} of {name!r}.")
    return Position(row[0])
