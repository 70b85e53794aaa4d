"""Pages of lists: at most so many items, and an opaque cursor where more follow."""

from __future__ import annotations

import base64
import functools
import types
from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar, cast

import msgspec
from tuneplane.contract import INT64_MAX

from application.ports.records import R, RecordReader, RecordTable, Scalar, Where
from domain.errors import Refused

T = TypeVar("T")

USUAL = 50
MOST = 1000
_CURSOR_CHARS = 8192


class Page(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """One page of a list."""

    items: list[T]
    next_cursor: str | None = None
    """Continues behind the last item; None where nothing follows."""


def page_size(limit: int | None, usual: int = USUAL) -> int:
    """Items a page may hold. Raises `Refused` outside 1 to 1,000."""
    if limit is None:
        return usual
    if not 1 <= limit <= MOST:
        raise Refused.at("limit", f"must be 1 to {MOST:,}", MOST)
    return limit


def cursor_of(kind: str, *parts: Scalar) -> str:
    """An opaque cursor for the list `kind` behind the item that `parts` identify."""
    return base64.urlsafe_b64encode(msgspec.json.encode((kind, parts))).decode().rstrip("=")


def parts_of(cursor: str, kind: str, shape: type[T]) -> T:
    """The parts, a tuple of type `shape`, of a cursor that `cursor_of` made for the same list.

    Raises `Refused` for anything else: cursors come from outside.
    """
    try:
        return _decoded(cursor, kind, shape)
    except (ValueError, msgspec.MsgspecError) as junk:
        raise Refused.at("cursor", "is no cursor of this list; use next_cursor as it was answered") from junk


def keyset(
    records: RecordReader,
    table: RecordTable[R],
    *where: Where,
    order: Sequence[str] = (),
    descending: bool = False,
    size: int,
    cursor: str | None,
) -> tuple[list[R], str | None]:
    """One page of records and the cursor of the next, None where there is none."""
    fields = (*order, *table.key)
    after = parts_of(cursor, table.name, _shape(table.record, fields)) if cursor else None
    if after is not None:
        _same_list(dict(zip(fields, after, strict=True)), where)
    found = records.find(table, *where, order=order, descending=descending, after=after, limit=size + 1)
    page = found[:size]
    more = len(found) > size
    return page, cursor_of(table.name, *(getattr(page[-1], field) for field in fields)) if more else None


def _same_list(seen: Mapping[str, Scalar], where: Sequence[Where]) -> None:
    """Refuses a cursor of another run, attempt, or whatever else the list is fixed to."""
    for one in where:
        if one.op == "=" and one.field in seen and seen[one.field] != one.value:
            raise Refused.at("cursor", "is no cursor of this list; start it again without")


def _decoded(cursor: str, kind: str, shape: type[T]) -> T:
    if len(cursor) > _CURSOR_CHARS:
        raise ValueError("no cursor is so long")
    raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    made_for, parts = msgspec.json.decode(raw, type=tuple[str, msgspec.Raw])
    if made_for != kind or not all(map(_comparable, msgspec.json.decode(parts, type=list[Scalar]))):
        raise ValueError("made for another list, or by hand")
    return msgspec.json.decode(parts, type=shape)


def _comparable(part: Scalar) -> bool:
    """Whether a database can compare with it."""
    if isinstance(part, int):
        return -INT64_MAX <= part <= INT64_MAX
    return not isinstance(part, str) or "\0" not in part


@functools.lru_cache(maxsize=256)
def _shape(record: type[msgspec.Struct], fields: tuple[str, ...]) -> type[tuple[Scalar, ...]]:
    known = {field.name: field.type for field in msgspec.structs.fields(record)}
    # A tuple type made at run time is one that no type checker can see through.
    return cast("type[tuple[Scalar, ...]]", types.GenericAlias(tuple, tuple(known[field] for field in fields)))
