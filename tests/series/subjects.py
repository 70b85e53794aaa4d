"""The adapters that keep series, behind one face."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import psycopg
from psycopg import Connection

from adapters.memory.series_view import MemorySeriesView
from adapters.postgres.series.reader import PostgresSeriesReader
from adapters.postgres.series.tables import Limits
from adapters.postgres.series.tail_cache import TailCache
from adapters.postgres.series.view import PostgresSeriesView
from application.ports.event_log import RecordedEvent
from application.ports.series_view import SeriesReader
from domain.events import Event
from domain.events.series import Family

Events = Sequence[tuple[RecordedEvent, Event]]
_schemas = itertools.count(1)

LOG = """
    CREATE TABLE IF NOT EXISTS stored_events (
        notification_id bigint NOT NULL UNIQUE, recorded_at bigint NOT NULL, originator_version bigint NOT NULL,
        originator_id uuid NOT NULL, topic text NOT NULL, run text NOT NULL, digest bytea NOT NULL,
        hash bytea NOT NULL, state bytea
    );
    ALTER TABLE stored_events ALTER state SET STORAGE EXTERNAL;
    TRUNCATE stored_events"""
"""As in the log's own migration, without what keeps it from being rewritten."""


class MemorySubject:
    def __init__(self, family: Family = "scalar") -> None:
        self._view = MemorySeriesView(family)

    def take_in(self, events: Events) -> None:
        self._view.project(events)

    def tidy(self) -> None:
        """Memory has nothing to tidy."""

    @contextmanager
    def reader(self) -> Iterator[SeriesReader]:
        yield self._view


class PostgresSubject:
    def __init__(self, conn: Connection, family: Family = "scalar", limits: Limits | None = None) -> None:
        self.conn = conn
        self.schema = f"proj_series_v{next(_schemas)}"
        self.view = PostgresSeriesView(family, limits)
        self._tails = TailCache()
        with conn.transaction():
            conn.execute(f"CREATE SCHEMA {self.schema}")
            self.view.create(conn, self.schema)

    def take_in(self, events: Events) -> None:
        with self.conn.transaction():
            self.view.project(self.conn, self.schema, list(events))

    def tidy(self) -> None:
        while self.view.idle(self.conn, self.schema):
            pass

    @contextmanager
    def reader(self) -> Iterator[SeriesReader]:
        with self.snapshot():
            yield PostgresSeriesReader(self.conn, self.schema, self._tails)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with self.conn.transaction():
            self.conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield

    def fingerprint(self) -> list[tuple[str, bytes]]:
        with self.snapshot():
            return list(self.view.fingerprint(self.conn, self.schema))

    def overlaps(self) -> int:
        """Chunks that begin before the one before them ends."""
        row = self.conn.execute(
            f"SELECT count(*) FROM (SELECT step_min <= lag(step_max) OVER (PARTITION BY series, attempt"
            f" ORDER BY step_min) AS bad FROM {self.schema}.chunk) c WHERE bad"
        ).fetchone()
        return row[0]

    def miscounted(self) -> int:
        """Summaries that do not say how many chunks there are, or where the last full one ends."""
        row = self.conn.execute(
            f"SELECT count(*) FROM {self.schema}.summary s WHERE (chunks, full_until) IS DISTINCT FROM"
            f" (SELECT (count(*)::int, coalesce(max(step_max) FILTER (WHERE n >= 4096), -1))"
            f" FROM {self.schema}.chunk c WHERE (c.series, c.attempt) = (s.series, s.attempt))"
        ).fetchone()
        return row[0]

    def drop(self) -> None:
        self.conn.execute(f"DROP SCHEMA {self.schema} CASCADE")


def add_to_log(conn: Connection, events: Events) -> None:
    """Writes `events` where the tail reads them."""
    with conn.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO stored_events VALUES (%s, 0, 1, %s, %s, %s, '', '', %s)",
            [(one.position, one.stream, one.tag, one.run, one.payload) for one, _ in events],
        )


def connected(dsn: str) -> Connection:
    conn = psycopg.connect(dsn, autocommit=True)
    conn.execute(LOG)
    return conn
