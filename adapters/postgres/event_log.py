"""The log in PostgreSQL: a recorder of the eventsourcing library with a critical section of our own.

The library's readers work on the same table. Its `insert_events` is not used: it sends bodies as text, locks
the table for each call, and hangs on batches over 4.8 MB (see `chain_writer.py` instead).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NoReturn

import psycopg
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from psycopg import Connection
from psycopg.rows import DictRow, TupleRow, dict_row, tuple_row
from tuneplane.contract import INT64_MAX

from adapters.postgres.chain_writer import CHANNEL, ChainWriter
from adapters.postgres.database import Database
from application.clock import Clock, now
from application.ports.event_log import Candidate, Head, Placed, RecordedEvent
from domain.errors import DomainFault, IdentityTaken
from domain.ids import Position, RunId, StreamId

_COLUMNS = "notification_id, recorded_at, originator_id, originator_version, topic, run, digest, hash, state"
_RESTORED_TYPES = ("int8", "int8", "uuid", "int8", "text", "text", "bytea", "bytea", "bytea")

# Events in order, or back from the latest. The running size is summed over lengths alone: bodies beyond `max_bytes` are
# never read.
_READ = f"""
    SELECT {_COLUMNS} FROM (
        SELECT {_COLUMNS}, row_number() OVER place AS number,
               sum(coalesce(octet_length(state), 0)) OVER place AS size
        FROM stored_events WHERE {{where}}
        WINDOW place AS (ORDER BY {{place}} ROWS UNBOUNDED PRECEDING)
        ORDER BY {{place}} LIMIT %(limit)s
    ) e WHERE number = 1 OR size <= %(max_bytes)s ORDER BY notification_id {{order}}"""  # noqa: S608 - made of constants
_OF_ALL = "notification_id > %(after)s AND notification_id <= %(last)s"
# Pairs, not `run = `: with that PostgreSQL may walk the whole log in order of position and leave the other runs out.
_OF_RUN = """(run, notification_id) > (%(run)s::text, %(after)s::int8)
    AND (run, notification_id) <= (%(run)s::text, %(last)s::int8)"""
_AT = f"""SELECT {_COLUMNS} FROM stored_events
    WHERE notification_id = ANY(%b::int8[]) ORDER BY notification_id"""  # noqa: S608 - made of constants
_STREAM = f"""SELECT {_COLUMNS} FROM stored_events
    WHERE originator_id = %b AND originator_version > %b ORDER BY originator_version"""  # noqa: S608 - made of constants
_HEAD = "SELECT position, hash FROM chain_head WHERE name = 'log'"


class PostgresEventLog(PostgresApplicationRecorder):
    """See `application/ports/event_log.py`. `close` it before its database."""

    def __init__(self, database: Database, clock: Clock = now) -> None:
        super().__init__(_PooledDatastore(database))
        self.channel_name = CHANNEL
        self._database = database
        self._writer = ChainWriter(database, clock)

    def append(self, requests: Sequence[Sequence[Candidate]]) -> list[tuple[Placed, ...] | DomainFault]:
        return self._writer.append(requests)

    def read(
        self,
        after: Position,
        *,
        limit: int = 64,
        max_bytes: int = 4_000_000,
        until: Position | None = None,
        run: RunId | None = None,
        tags: Collection[str] | None = None,
    ) -> list[RecordedEvent]:
        last = INT64_MAX if until is None else until
        wanted = {"after": after, "last": last, "limit": limit, "max_bytes": max_bytes}
        return self._read("ASC", wanted, run, tags)

    def read_back(
        self,
        before: Position,
        *,
        limit: int = 64,
        max_bytes: int = 4_000_000,
        run: RunId | None = None,
        tags: Collection[str] | None = None,
    ) -> list[RecordedEvent]:
        wanted = {"after": 0, "last": before - 1, "limit": limit, "max_bytes": max_bytes}
        return self._read("DESC", wanted, run, tags)

    def at(self, positions: Sequence[Position]) -> list[RecordedEvent]:
        return self._select(_AT, (list(positions),))

    def stream(self, stream: StreamId, after_version: int = 0) -> list[RecordedEvent]:
        return self._select(_STREAM, (stream, after_version))

    def head(self) -> Head:
        with self._database.connection() as connection:
            return _head(connection, _HEAD)

    def restore(self, events: Iterable[RecordedEvent]) -> Head:
        with self._database.transaction() as connection:
            if _head(connection, _HEAD + " FOR UPDATE").position:
                raise IdentityTaken("The log is not empty; only an empty one can be restored.")
            last = None
            with connection.cursor().copy(f"COPY stored_events ({_COLUMNS}) FROM STDIN (FORMAT BINARY)") as copy:
                copy.set_types(_RESTORED_TYPES)
                for last in events:
                    copy.write_row(
                        (
                            *(last.position, last.recorded_at, last.stream, last.version, last.tag, last.run),
                            *(last.digest, last.hash, last.payload),
                        )
                    )
            if last is not None:
                connection.execute("UPDATE chain_head SET position = %s, hash = %s", (last.position, last.hash))
                connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, str(last.position)))
            return _head(connection, _HEAD)

    def insert_events(self, stored_events: object, **_: object) -> NoReturn:
        """Refuses: what the library would insert has no place in the chain."""
        del stored_events
        raise TypeError("events enter the log through append")

    def close(self) -> None:
        """Closes the writer's connection. May be repeated."""
        self._writer.close()

    def _read(
        self, order: str, wanted: Mapping[str, object], run: RunId | None, tags: Collection[str] | None
    ) -> list[RecordedEvent]:
        """Events behind position `after` up to `last`, of one run or of all."""
        where = _OF_ALL if run is None else _OF_RUN
        if tags is not None:
            where += " AND topic = ANY(%(tags)s)"
        place = f"notification_id {order}" if run is None else f"run {order}, notification_id {order}"
        statement = _READ.format(where=where, order=order, place=place)
        return self._select(statement, {**wanted, "run": run, "tags": None if tags is None else list(tags)})

    def _select(self, statement: str, wanted: Sequence[object] | Mapping[str, object]) -> list[RecordedEvent]:
        with self._database.connection() as connection, connection.cursor(binary=True) as cursor:
            cursor.execute(statement.encode(), wanted)
            return [
                RecordedEvent(position, at, stream, version, tag, run, digest, chain_hash, payload)
                for position, at, stream, version, tag, run, digest, chain_hash, payload in cursor.fetchall()
            ]


class _PooledDatastore(PostgresDatastore):
    """What the library's readers connect with: our pool, with rows as they expect them."""

    def __init__(self, database: Database) -> None:
        super().__init__(dbname="", host="", port="", user="", password="")
        self._database = database

    def register_type_adapters(self) -> None:
        """Nothing to register: the library's composite types are not used."""

    @contextmanager
    def get_connection(self) -> Iterator[Connection[DictRow]]:
        with self._database.connection() as connection:
            rows: Connection[DictRow] = connection  # type: ignore[assignment]
            rows.row_factory = dict_row
            try:
                yield rows
            finally:
                connection.row_factory = tuple_row


def _head(connection: Connection[TupleRow], statement: str) -> Head:
    row = connection.cursor(binary=True).execute(statement.encode()).fetchone()
    if row is None:
        raise psycopg.InternalError("the row of the log's head is missing")
    return Head(*row)
