"""Records in memory: what folds and queries are tested on, and where a run is read as it was at an earlier moment."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import msgspec

from application.ports.records import RecordTable, Scalar, Where
from application.record_layout import (
    Key,
    SortField,
    Value,
    any_case,
    asked,
    having,
    key_of,
    last_seen,
    layout,
    sort_fields,
    stored,
)
from domain.errors import Refused

R = TypeVar("R", bound=msgspec.Struct)
Test = Callable[[dict[str, Value]], bool]


class _Row(msgspec.Struct, frozen=True):
    columns: dict[str, Value]
    body: bytes
    """The record as MessagePack, so that what comes back is what a database would give back."""


class MemoryRecords:
    """Tables of one process, by first key field and then by key. Not for several threads that write."""

    def __init__(self) -> None:
        # A table's record type is erased here: what is put under a table is of its type.
        self._tables: dict[RecordTable[Any], dict[Value, dict[Key, _Row]]] = {}

    def get(self, table: RecordTable[R], *key: Scalar) -> R | None:
        """The record with this key, or None."""
        wanted = key_of(table, key)
        row = self._tables.get(table, {}).get(wanted[0], {}).get(wanted)
        return None if row is None else _record(table, row)

    def put(self, table: RecordTable[R], record: R) -> None:
        """Makes the record the one with its key."""
        columns = stored(table, record)
        key = tuple(columns[name] for name in table.key)
        rows = self._tables.setdefault(table, {}).setdefault(key[0], {})
        rows[key] = _Row(columns, msgspec.msgpack.encode(record))

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
        fields = sort_fields(table, order, where)
        ranked = [(_rank(fields, row.columns), row) for row in self._matching(table, where)]
        if after is not None:
            seen = last_seen(table, order, fields, after)
            bound = tuple(_comparable(one) for one in seen)
            ranked = [(rank, row) for rank, row in ranked if (rank < bound if descending else rank > bound)]
        ranked.sort(key=lambda pair: pair[0], reverse=descending)
        return [_record(table, row) for _, row in ranked[:limit]]

    def count(self, table: RecordTable[R], *where: Where) -> int:
        """How many records meet every condition."""
        return sum(1 for _ in self._matching(table, where))

    def count_by(self, table: RecordTable[R], field: str, *where: Where) -> dict[Scalar, int]:
        """How many records meet every condition, by their value of a column."""
        values = (row.columns[field] for row in self._matching(table, where))
        return dict(Counter(value for value in values if not isinstance(value, tuple)))

    def distinct(self, table: RecordTable[R], field: str, *, contains: str = "", most: int) -> list[str]:
        """Different values of a text column; see the port."""
        values = {row.columns[field] for row in self._matching(table, ())}
        return having(sorted(one for one in values if isinstance(one, str))[:most], contains)

    def _matching(self, table: RecordTable[R], where: Sequence[Where]) -> Iterable[_Row]:
        tests = [_test(table, one) for one in where]
        parts = self._tables.get(table, {})
        first = next((one.value for one in where if one.field == table.key[0] and one.op == "="), None)
        chosen = parts.values() if first is None or isinstance(first, tuple) else [parts.get(first, {})]
        return (row for part in chosen for row in part.values() if all(test(row.columns) for test in tests))


def _record(table: RecordTable[R], row: _Row) -> R:
    return msgspec.msgpack.decode(row.body, type=table.record)


def _comparable(kept: Value) -> tuple[bool, Value]:
    """None first, as in the port."""
    return (kept is not None, kept)


def _rank(fields: Sequence[SortField], columns: dict[str, Value]) -> tuple[tuple[bool, Value], ...]:
    return tuple(_comparable(columns[field.column.name]) for field in fields)


def _test(table: RecordTable[R], condition: Where) -> Test:
    column = layout(table).columns.get(condition.field)
    if column is None:
        raise TypeError(f"table {table.name!r} has no column {condition.field!r}")
    name = column.name
    wanted: Any = asked(column, condition)
    match condition.op:
        case "=":
            return lambda row: row[name] == wanted
        case "in":
            several = frozenset(wanted)
            return lambda row: row[name] in several
        case "has":
            return lambda row: wanted in (row[name] or ())  # type: ignore[operator]
        case "contains":
            found = re.compile(any_case(wanted)).search
            return lambda row: row[name] is not None and found(str(row[name])) is not None
        case "<" | "<=" | ">" | ">=":
            compare = _COMPARE[condition.op]
            return lambda row: row[name] is not None and wanted is not None and compare(row[name], wanted)
    raise Refused(f"{name}: cannot be asked with {condition.op!r}")


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda left, right: bool(left < right),
    "<=": lambda left, right: bool(left <= right),
    ">": lambda left, right: bool(left > right),
    ">=": lambda left, right: bool(left >= right),
}
