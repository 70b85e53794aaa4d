"""The SQL of record tables: how they are made, asked and written. Values travel as parameters only."""

# ruff: noqa: S608 - texts are put together from quoted identifiers and from words of this module

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from psycopg import sql

from application.ports.records import RecordTable, Scalar, Where
from application.record_layout import Column, Kind, SortField, any_case, asked, last_seen, layout, sort_fields
from domain.errors import Refused

R = TypeVar("R", bound=msgspec.Struct)
Parameters = list[Any]

_TYPES: dict[Kind, str] = {
    "int": "int8",
    "float": "float8",
    "bool": "bool",
    "text": 'text COLLATE "C"',  # code points, as Python sorts
    "texts": 'text[] COLLATE "C"',
}
_CASTS: dict[Kind, str] = {"int": "int8", "float": "float8", "bool": "bool", "text": "text", "texts": "text[]"}


@lru_cache(maxsize=4096)
def quoted(*names: str) -> str:
    """An identifier, qualified where there are several names."""
    return sql.Identifier(*names).as_string(None)


def type_of(column: Column) -> str:
    """What a value of the column is cast to."""
    return _CASTS[column.kind]


def create(schema: str, table: RecordTable[R]) -> list[str]:
    """The statements that make a table and its indexes."""
    known = layout(table)
    name = quoted(schema, table.name)
    columns = [
        f"{quoted(one.name)} {_TYPES[one.kind]}{'' if one.optional else ' NOT NULL'}" for one in known.columns.values()
    ]
    key = ", ".join(quoted(field) for field in known.key)
    statements = [
        f"CREATE TABLE {name} ({', '.join(columns)}, body bytea NOT NULL, PRIMARY KEY ({key}))",
        # A body is small or seldom read; compressing it costs more than it saves.
        f"ALTER TABLE {name} ALTER COLUMN body SET STORAGE EXTERNAL",
    ]
    for index in known.indexes:
        fields = [f"{quoted(field)}{' NULLS FIRST' if known.columns[field].optional else ''}" for field in index]
        statements.append(f"CREATE INDEX ON {name} ({', '.join(fields)})")
    return statements


@lru_cache(maxsize=1024)
def by_key(schema: str, table: RecordTable[R]) -> bytes:
    """The body of the record with one key."""
    columns = layout(table).columns
    tests = [f"{quoted(name)} = %s::{_CASTS[columns[name].kind]}" for name in table.key]
    return f"SELECT body FROM {quoted(schema, table.name)} WHERE {' AND '.join(tests)}".encode()


@lru_cache(maxsize=1024)
def upsert(schema: str, table: RecordTable[R]) -> str:
    """Makes many records the ones with their keys; parameters are one array a column, then the bodies."""
    columns = layout(table).columns
    names = [*(quoted(name) for name in columns), "body"]
    arrays = [f"%b::{'text' if one.kind == 'texts' else _CASTS[one.kind]}[]" for one in columns.values()]
    taken = [f"{quoted(one.name)}{'::text[]' if one.kind == 'texts' else ''}" for one in columns.values()]
    kept = [f"{name} = excluded.{name}" for name in names if name not in {quoted(field) for field in table.key}]
    return (
        f"INSERT INTO {quoted(schema, table.name)} ({', '.join(names)}) "
        f"SELECT {', '.join([*taken, 'body'])} "
        f"FROM unnest({', '.join([*arrays, '%b::bytea[]'])}) AS new({', '.join(names)}) "
        f"ON CONFLICT ({', '.join(quoted(field) for field in table.key)}) DO UPDATE SET {', '.join(kept)}"
    )


def find(
    schema: str,
    table: RecordTable[R],
    where: Sequence[Where],
    *,
    order: Sequence[str],
    descending: bool,
    after: Sequence[Scalar] | None,
    limit: int | None,
) -> tuple[bytes, Parameters]:
    """The bodies of the records that meet every condition, in order, behind `after`."""
    tests, parameters = conditions(table, where)
    fields = sort_fields(table, order, where)
    if after is not None:
        behind, bounds = _behind(fields, last_seen(table, order, fields, after), descending=descending)
        tests.append(behind)
        parameters += bounds
    text = f"SELECT body FROM {quoted(schema, table.name)}{where_all(tests)}"
    if fields:
        text += " ORDER BY " + ", ".join(_sorted(field.column, descending=descending) for field in fields)
    if limit is not None:
        text += " LIMIT %s"
        parameters.append(limit)
    return text.encode(), parameters


def count(schema: str, table: RecordTable[R], where: Sequence[Where]) -> tuple[bytes, Parameters]:
    """How many records meet every condition."""
    tests, parameters = conditions(table, where)
    return f"SELECT count(*) FROM {quoted(schema, table.name)}{where_all(tests)}".encode(), parameters


def count_by(schema: str, table: RecordTable[R], field: str, where: Sequence[Where]) -> tuple[bytes, Parameters]:
    """How many records meet every condition, by their value of one column."""
    tests, parameters = conditions(table, where)
    name, column = quoted(schema, table.name), quoted(field)
    return f"SELECT {column}, count(*) FROM {name}{where_all(tests)} GROUP BY 1".encode(), parameters


def distinct(schema: str, table: RecordTable[R], field: str) -> bytes:
    """The first different values of a column that begins an index, each found by one step down that index."""
    if not any(index[0] == field for index in layout(table).indexes):
        raise TypeError(f"table {table.name!r}: no index begins with {field!r}")
    name, column = quoted(schema, table.name), quoted(field)
    first = f"SELECT {column} FROM {name} WHERE {column} {{behind}} ORDER BY {column} LIMIT 1"
    return (
        f"WITH RECURSIVE known(value) AS (({first.format(behind='IS NOT NULL')}) UNION ALL"
        f" SELECT ({first.format(behind='> known.value')}) FROM known WHERE known.value IS NOT NULL)"
        " SELECT value FROM known WHERE value IS NOT NULL LIMIT %s"
    ).encode()


def where_all(tests: Sequence[str]) -> str:
    """The clause of several conditions; nothing where there are none."""
    return f" WHERE {' AND '.join(tests)}" if tests else ""


def _sorted(column: Column, *, descending: bool) -> str:
    if not column.optional:
        return f"{quoted(column.name)}{' DESC' if descending else ''}"
    return f"{quoted(column.name)}{' DESC NULLS LAST' if descending else ' NULLS FIRST'}"


def conditions(table: RecordTable[R], where: Sequence[Where]) -> tuple[list[str], Parameters]:
    """Each as SQL, and the values they compare with, in order."""
    tests: list[str] = []
    parameters: Parameters = []
    for one in where:
        test, values = _condition(table, one)
        tests.append(test)
        parameters += values
    return tests, parameters


def _condition(table: RecordTable[R], condition: Where) -> tuple[str, Parameters]:
    column = layout(table).columns.get(condition.field)
    if column is None:
        raise TypeError(f"table {table.name!r} has no column {condition.field!r}")
    name, cast, wanted = quoted(column.name), _CASTS[column.kind], asked(column, condition)
    match condition.op:
        case "=":
            return (f"{name} IS NULL", []) if wanted is None else (f"{name} = %s::{cast}", [wanted])
        case "<" | "<=" | ">" | ">=":
            return ("false", []) if wanted is None else (f"{name} {condition.op} %s::{cast}", [wanted])
        case "in" if isinstance(wanted, tuple):
            listed = f"{name} = ANY(%s::{cast}[])"
            test = f"({listed} OR {name} IS NULL)" if None in wanted else listed
            return test, [[one for one in wanted if one is not None]]
        case "contains":
            # Not ILIKE: with this collation it would know the two cases of ASCII letters alone.
            return f"{name} ~ %s::text", [any_case(str(wanted))]
        case "has":
            return f"%s::text = ANY({name})", [wanted]
    raise Refused(f"{column.name}: cannot be asked with {condition.op!r}")


def _behind(fields: Sequence[SortField], seen: Sequence[Scalar], *, descending: bool) -> tuple[str, Parameters]:
    """The condition that a record comes behind the last one seen, in the order of `fields`."""
    if not fields:
        return "false", []
    sign = "<" if descending else ">"
    plain = not any(field.column.optional for field in fields)
    if plain:
        # A row comparison is one range of an index.
        names = ", ".join(quoted(field.column.name) for field in fields)
        casts = ", ".join(f"%s::{_CASTS[field.column.kind]}" for field in fields)
        return f"({names}) {sign} ({casts})", list(seen)
    column, first = fields[0].column, seen[0]
    name, cast = quoted(column.name), _CASTS[column.kind]
    rest, bounds = _behind(fields[1:], seen[1:], descending=descending)
    if first is None:
        # None sorts first: everything else is behind it when ascending, nothing when descending.
        tied = f"({name} IS NULL AND {rest})"
        return (tied if descending else f"({name} IS NOT NULL OR {tied})"), bounds
    passed = f" OR {name} IS NULL" if descending and column.optional else ""
    tied = f"({name} = %s::{cast} AND {rest})"
    return f"({name} {sign} %s::{cast}{passed} OR {tied})", [first, first, *bounds]


def fingerprint(schema: str, table: RecordTable[R]) -> bytes:
    """Every record: its key as JSON, and its body, in code-point order of the keys."""
    key = ", ".join(quoted(field) for field in table.key)
    name = f'jsonb_build_array({key})::text COLLATE "C"'
    return f"SELECT {name}, body FROM {quoted(schema, table.name)} ORDER BY 1".encode()
