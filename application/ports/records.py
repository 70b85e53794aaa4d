"""Views made of records: typed rows that projections write and queries read.

A table is declared once (`RecordTable`); PostgreSQL and memory keep it alike. A record is one frozen struct, its key
some of its fields; further fields that queries filter or order by are named as columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Literal, Protocol, TypeVar

import msgspec

R = TypeVar("R", bound=msgspec.Struct)
Scalar = str | int | float | bool | None
"""What a key field or column may hold; a column may also be a tuple of str."""


class RecordTable(msgspec.Struct, Generic[R], frozen=True, kw_only=True):
    """One table of a projection."""

    name: str
    """`[a-z_]+`, unique in its projection."""
    record: type[R]
    """A frozen struct; stored whole as MessagePack, so it may hold lists, maps and any text."""
    key: tuple[str, ...]
    """Fields that identify a record, `run` first (or alone)."""
    columns: tuple[str, ...] = ()
    """Fields to filter or order by, beside the key: str, int, float, bool, None or tuple of str."""
    indexes: tuple[tuple[str, ...], ...] = ()
    """Orders in which it is read, beside the key's."""


class Where(msgspec.Struct, frozen=True):
    """One condition on a key field or column."""

    field: str
    op: Literal["=", "<", "<=", ">", ">=", "in", "contains", "has"]
    """`in`: one of a tuple. `contains`: text, any case, literally. `has`: the tuple of str holds it."""
    value: Scalar | tuple[Scalar, ...]


class RecordReader(Protocol):
    """What queries may ask."""

    def get(self, table: RecordTable[R], *key: Scalar) -> R | None:
        """The record with this key, or None."""
        ...

    def find(
        self,
        table: RecordTable[R],
        *where: Where,
        order: Sequence[str] = (),
        descending: bool = False,
        after: Sequence[Scalar] | None = None,
        limit: int | None = None,
    ) -> list[R]:
        """Records that meet every condition, ordered by `order` and then by key (all ascending or all descending).

        `after` is the (order…, key…) of the last record seen; None sorts first. Without `limit`, all of them.
        """
        ...

    def count(self, table: RecordTable[R], *where: Where) -> int:
        """How many records meet every condition."""
        ...

    def count_by(self, table: RecordTable[R], field: str, *where: Where) -> dict[Scalar, int]:
        """How many records meet every condition, by their value of a column; values that none has are left out."""
        ...

    def distinct(self, table: RecordTable[R], field: str, *, contains: str = "", most: int) -> list[str]:
        """Different values of a text column that begins an index, in code-point order; None is left out.

        The first `most` of them are looked through for `contains` (any case, literally).
        """
        ...


class Records(RecordReader, Protocol):
    """What a projection may do: read its own tables and write them."""

    def put(self, table: RecordTable[R], record: R) -> None:
        """Makes the record the one with its key."""
        ...
