"""Records in PostgreSQL: read for queries, and written a batch at a time by the projector."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from psycopg import Connection
from psycopg.rows import TupleRow

from adapters.postgres import record_sql
from adapters.postgres.binary_arrays import BinaryArray, ByteaArray, column_array, teach
from application.ports.records import RecordTable, Scalar, Where
from application.record_layout import Key, Value, having, key_of, layout, stored

R = TypeVar("R", bound=msgspec.Struct)
CACHE_BYTES = 2_000_000
"""Bodies that one batch's records may leave behind for the next."""
_ENTRY_BYTES = 300
"""What an entry of the cache weighs beside its body."""


def _in_a_transaction() -> None:
    """The caller's transaction is open already."""


@lru_cache(maxsize=1024)
def _decoder(record: type[R]) -> msgspec.msgpack.Decoder[R]:
    return msgspec.msgpack.Decoder(record)


class PostgresRecords:
    """Reads records on one connection, in whatever transaction that is in."""

    def __init__(self, conn: Connection[TupleRow], schemas: Mapping[RecordTable[Any], str]) -> None:
        self._conn = conn
        self._schemas = schemas

    def get(self, table: RecordTable[R], *key: Scalar) -> R | None:
        """The record with this key, or None."""
        query = record_sql.by_key(self._schemas[table], table)
        row = self._conn.execute(query, key_of(table, key), binary=True).fetchone()
        return None if row is None else _decoder(table.record).decode(row[0])

    def find(
        self,
        table: RecordTable[R],
        *where: Where,
        order: Sequence[str] = (),
        descending: bool = False,
        after: Sequence[Scalar] | None = None,
        limit: int | None = None,
    ) -> list[R]:
        """Records that meet every condition, ordered by `order` and then by key; see the port."""
        query, parameters = record_sql.find(
            self._schemas[table], table, where, order=order, descending=descending, after=after, limit=limit
        )
        decode = _decoder(table.record).decode
        return [decode(body) for (body,) in self._conn.execute(query, parameters, binary=True).fetchall()]

    def count(self, table: RecordTable[R], *where: Where) -> int:
        """How many records meet every condition."""
        query, parameters = record_sql.count(self._schemas[table], table, where)
        row = self._conn.execute(query, parameters).fetchone()
        return 0 if row is None else int(row[0])

    def count_by(self, table: RecordTable[R], field: str, *where: Where) -> dict[Scalar, int]:
        """How many records meet every condition, by their value of a column."""
        query, parameters = record_sql.count_by(self._schemas[table], table, field, where)
        return {value: int(number) for value, number in self._conn.execute(query, parameters).fetchall()}

    def distinct(self, table: RecordTable[R], field: str, *, contains: str = "", most: int) -> list[str]:
        """Different values of a text column; see the port."""
        query = record_sql.distinct(self._schemas[table], table, field)
        return having((value for (value,) in self._conn.execute(query, (most,)).fetchall()), contains)


class _Buffered(msgspec.Struct, frozen=True):
    columns: dict[str, Value]
    body: bytes


class RecordBatch:
    """The tables of one projection while the projector writes them: puts wait until they are flushed together.

    What was read or written is remembered from batch to batch; that is sound because the projector that holds the
    projection's lock is the only writer, and is forgotten whenever a transaction is rolled back.
    """

    def __init__(self, schema: str, tables: Sequence[RecordTable[Any]]) -> None:
        self._schema = schema
        self._schemas = dict.fromkeys(tables, schema)
        self._known: dict[RecordTable[Any], dict[Key, bytes | None]] = {table: {} for table in tables}
        self._waiting: dict[RecordTable[Any], dict[Key, _Buffered]] = {table: {} for table in tables}
        self._weight = 0
        self._conn: Connection[TupleRow] | None = None
        self._begin: Callable[[], None] = _in_a_transaction

    def use(self, conn: Connection[TupleRow], begin: Callable[[], None] | None = None) -> None:
        """Reads and writes on `conn` from here on, in the transaction it is in.

        Where it is in none, `begin` starts one before anything is written ahead of `take_waiting`.
        """
        if conn is not self._conn:
            teach(conn)
        self._conn, self._begin = conn, begin or _in_a_transaction

    def forget(self) -> None:
        """Drops what waits and what is remembered."""
        for known in self._known.values():
            known.clear()
        for waiting in self._waiting.values():
            waiting.clear()
        self._weight = 0

    def get(self, table: RecordTable[R], *key: Scalar) -> R | None:
        """The record with this key as the batch has it so far, or None."""
        wanted = key_of(table, key)
        known = self._known[table]
        if wanted not in known:
            query = record_sql.by_key(self._schema, table)
            row = self._connection.execute(query, wanted, binary=True, prepare=True).fetchone()
            self._remember(table, wanted, None if row is None else row[0])
        body = known[wanted]
        return None if body is None else _decoder(table.record).decode(body)

    def find(
        self,
        table: RecordTable[R],
        *where: Where,
        order: Sequence[str] = (),
        descending: bool = False,
        after: Sequence[Scalar] | None = None,
        limit: int | None = None,
    ) -> list[R]:
        """As the port; the puts of this batch are there."""
        reader = self._flushed(table)
        return reader.find(table, *where, order=order, descending=descending, after=after, limit=limit)

    def count(self, table: RecordTable[R], *where: Where) -> int:
        """As the port; the puts of this batch are there."""
        return self._flushed(table).count(table, *where)

    def count_by(self, table: RecordTable[R], field: str, *where: Where) -> dict[Scalar, int]:
        """As the port; the puts of this batch are there."""
        return self._flushed(table).count_by(table, field, *where)

    def distinct(self, table: RecordTable[R], field: str, *, contains: str = "", most: int) -> list[str]:
        """As the port; the puts of this batch are there."""
        return self._flushed(table).distinct(table, field, contains=contains, most=most)

    def put(self, table: RecordTable[R], record: R) -> None:
        """Makes the record the one with its key, when the batch is flushed."""
        columns = stored(table, record)
        key = tuple(columns[name] for name in table.key)
        body = msgspec.msgpack.encode(record)
        if self._known[table].get(key) == body:
            return
        self._remember(table, key, body)
        self._waiting[table][key] = _Buffered(columns, body)

    def take_waiting(self) -> list[tuple[str, list[BinaryArray]]]:
        """One statement and its parameters for each table that was touched; the caller executes them all."""
        statements = []
        for table, waiting in self._waiting.items():
            if waiting:
                statements.append(self._statement(table, list(waiting.values())))
                waiting.clear()
        if self._weight > CACHE_BYTES:
            self.forget()
        return statements

    def flush(self) -> None:
        """Writes what waits."""
        for statement, parameters in self.take_waiting():
            self._connection.execute(statement.encode(), parameters, prepare=True)

    @property
    def _connection(self) -> Connection[TupleRow]:
        if self._conn is None:
            raise RuntimeError("use() comes first")
        return self._conn

    def _flushed(self, table: RecordTable[R]) -> PostgresRecords:
        waiting = self._waiting[table]
        if waiting:
            self._begin()
            statement, parameters = self._statement(table, list(waiting.values()))
            self._connection.execute(statement.encode(), parameters, prepare=True)
            waiting.clear()
        return PostgresRecords(self._connection, self._schemas)

    def _statement(self, table: RecordTable[R], rows: Sequence[_Buffered]) -> tuple[str, list[BinaryArray]]:
        arrays: list[BinaryArray] = [
            column_array(column.kind, [row.columns[name] for row in rows])
            for name, column in layout(table).columns.items()
        ]
        return record_sql.upsert(self._schema, table), [*arrays, ByteaArray([row.body for row in rows])]

    def _remember(self, table: RecordTable[R], key: Key, body: bytes | None) -> None:
        self._known[table][key] = body
        self._weight += _ENTRY_BYTES + len(body or b"")
