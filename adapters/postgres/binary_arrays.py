"""Columns of values as PostgreSQL's binary arrays, of one fixed type whatever the values.

psycopg picks an array's type from its elements (int2 here, int8 there, text for nothing but NULLs), which would
make a prepared statement of its own for every mixture.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from psycopg import Connection
from psycopg.adapt import Dumper
from psycopg.pq import Format

from application.record_layout import Kind, Value

_HEAD = struct.Struct(">iiIii")
_LENGTH = struct.Struct(">i")
_NULL = _LENGTH.pack(-1)


class BinaryArray:
    """One parameter, ready to send."""

    __slots__ = ("data",)
    oid = 0
    """Of the array's type."""
    element = 0
    """Of its elements' type."""

    def __init__(self, elements: Sequence[bytes | None]) -> None:
        parts = [_HEAD.pack(1, 1, self.element, len(elements), 1)]
        for one in elements:
            parts += (_NULL,) if one is None else (_LENGTH.pack(len(one)), one)
        self.data = b"".join(parts)


class Int8Array(BinaryArray):
    oid, element = 1016, 20


class Float8Array(BinaryArray):
    oid, element = 1022, 701


class BoolArray(BinaryArray):
    oid, element = 1000, 16


class TextArray(BinaryArray):
    oid, element = 1009, 25


class ByteaArray(BinaryArray):
    oid, element = 1001, 17


class _BinaryArrayDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: BinaryArray) -> bytes:
        return obj.data


_DUMPERS = {
    kind: type(f"{kind.__name__}Dumper", (_BinaryArrayDumper,), {"oid": kind.oid})
    for kind in (Int8Array, Float8Array, BoolArray, TextArray, ByteaArray)
}


def teach(conn: Connection[Any]) -> None:
    """Lets `conn` take the arrays of this module as parameters."""
    for kind, dumper in _DUMPERS.items():
        conn.adapters.register_dumper(kind, dumper)


def column_array(kind: Kind, values: Iterable[Value]) -> BinaryArray:
    """One column of records. A tuple of str is sent as the text of its array."""
    array, element = _COLUMNS[kind]
    return array([None if value is None else element(value) for value in values])


def array_text(texts: Iterable[str]) -> str:
    """PostgreSQL's text for an array of `texts`."""
    quoted = (text.replace("\\", "\\\\").replace('"', '\\"') for text in texts)
    return "{" + ",".join(f'"{text}"' for text in quoted) + "}"


_COLUMNS: dict[Kind, tuple[type[BinaryArray], Callable[[Any], bytes]]] = {
    "int": (Int8Array, struct.Struct(">q").pack),
    "float": (Float8Array, struct.Struct(">d").pack),
    "bool": (BoolArray, struct.Struct(">?").pack),
    "text": (TextArray, str.encode),
    "texts": (TextArray, lambda texts: array_text(texts).encode()),
}
