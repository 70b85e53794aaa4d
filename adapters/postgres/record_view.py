"""A projection made of records, as the projector carries it: folded in memory, written a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec
from psycopg import Connection
from psycopg.rows import TupleRow

from adapters.postgres import record_sql
from adapters.postgres.binary_arrays import BinaryArray
from adapters.postgres.records import RecordBatch
from application.ports.event_log import RecordedEvent
from application.projections.projection import Projection
from domain.events import Event

_PIECE = 1000


class RecordView:
    """One version of one projection. Can all that `SpecialView` asks, and can leave its writes to the caller."""

    def __init__(self, projection: Projection) -> None:
        self.name = projection.name
        self.version = projection.version
        self.reads = frozenset(str(kind.__struct_config__.tag) for kind in projection.reads)
        self._projection = projection
        self._batch: RecordBatch | None = None

    def create(self, conn: Connection[TupleRow], schema: str) -> None:
        """Makes the tables in `schema`."""
        for table in self._projection.tables:
            for statement in record_sql.create(schema, table):
                conn.execute(statement.encode())

    def fold(
        self,
        conn: Connection[TupleRow],
        schema: str,
        events: Sequence[tuple[RecordedEvent, Event]],
        begin: Callable[[], None],
    ) -> None:
        """Takes in `events`; what they write waits for `take_waiting`. `begin` opens a transaction where needed."""
        batch = self._batch_of(schema)
        batch.use(conn, begin)
        for recorded, event in events:
            self._projection.project(recorded, event, batch)

    def take_waiting(self) -> list[tuple[str, list[BinaryArray]]]:
        """The statements that write what `fold` left waiting."""
        return [] if self._batch is None else self._batch.take_waiting()

    def project(self, conn: Connection[TupleRow], schema: str, events: list[tuple[RecordedEvent, Event]]) -> None:
        """Takes in `events` and writes them, in the caller's transaction."""
        self.fold(conn, schema, events, _open_already)
        self._batch_of(schema).flush()

    def idle(self, conn: Connection[TupleRow], schema: str) -> bool:  # noqa: ARG002 - as the protocol asks
        """Records need no maintenance of ours."""
        return False

    def reset_cache(self) -> None:
        """Forgets what it remembers of the tables."""
        self._batch = None

    def fingerprint(self, conn: Connection[TupleRow], schema: str) -> Iterator[tuple[str, bytes]]:
        """Every record by table and key."""
        for table in sorted(self._projection.tables, key=lambda one: one.name):
            with conn.cursor(f"fingerprint_{table.name}") as cursor:
                cursor.itersize = _PIECE
                cursor.execute(record_sql.fingerprint(schema, table))
                for name, body in cursor:
                    yield f"{table.name} {name}", _canonical(body)

    def _batch_of(self, schema: str) -> RecordBatch:
        if self._batch is None:
            self._batch = RecordBatch(schema, self._projection.tables)
        return self._batch


def _open_already() -> None:
    """The caller's transaction."""


def _canonical(body: bytes) -> bytes:
    """The record without the order in which its maps were filled."""
    return msgspec.msgpack.encode(msgspec.msgpack.decode(body), order="deterministic")
