"""What the declaration of a record table means: its typed columns, its orders, and the values they hold.

One place for both adapters, so that PostgreSQL and memory answer alike. Text sorts by code point, None first;
numbers are finite and text holds no NUL, because a database column could not hold it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, TypeVar

import msgspec
from msgspec import inspect

from application.ports.records import RecordTable, Scalar, Where
from domain.errors import Refused

R = TypeVar("R", bound=msgspec.Struct)
Kind = Literal["int", "float", "bool", "text", "texts"]
Value = Scalar | tuple[Scalar, ...]
Key = tuple[Value, ...]

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_KINDS: dict[type[inspect.Type], Kind] = {
    inspect.IntType: "int",
    inspect.FloatType: "float",
    inspect.BoolType: "bool",
    inspect.StrType: "text",
}
_INT8 = 1 << 63
MOST_KEY_BYTES = 2_500
"""Of the texts of one key or index entry; an index page of PostgreSQL takes 2,704 in all."""


class Column(msgspec.Struct, frozen=True):
    """One field that is kept beside the record's body."""

    name: str
    kind: Kind
    """`texts` is a tuple of str: it can be asked with `has`, and orders nothing."""
    optional: bool
    """Whether it may be None. A key field never is."""


class Layout(msgspec.Struct, frozen=True):
    """The columns of one table, and the orders it is read in."""

    columns: dict[str, Column]
    """Key fields first, then the columns."""
    key: tuple[str, ...]
    indexes: tuple[tuple[str, ...], ...]
    """Each followed by the rest of the key, so that it is a whole order."""
    texts: tuple[tuple[str, ...], ...]
    """Text fields that stand in one key or index together, whose lengths are bounded together."""


class SortField(msgspec.Struct, frozen=True):
    """One field of the order that a question asks for."""

    column: Column
    place: int
    """Where its value stands in the (order…, key…) of the last record seen."""


@lru_cache(maxsize=1024)
def layout(table: RecordTable[R]) -> Layout:
    """The layout of `table`. Raises TypeError where its declaration cannot be kept."""
    kinds = {field.name: field.type for field in _fields(table.record)}
    names = tuple(dict.fromkeys((*table.key, *table.columns)))
    if not table.key or not all(_NAME.fullmatch(name) for name in (table.name, *names)):
        raise TypeError(f"table {table.name!r}: needs a key, and names of [a-z0-9_]")
    columns = {name: _column(table.name, name, kinds) for name in names}
    for name in table.key:
        if columns[name].optional or columns[name].kind == "texts":
            raise TypeError(f"table {table.name!r}: key field {name!r} must be one value that is never None")
    for index in table.indexes:
        for name in index:
            _sortable(table.name, columns, name)
    indexes = tuple(tuple(dict.fromkeys((*index, *table.key))) for index in table.indexes)
    return Layout(columns, table.key, indexes, _texts(columns, (table.key, *indexes)))


def sort_fields(table: RecordTable[R], order: Sequence[str], where: Sequence[Where]) -> list[SortField]:
    """The order (`order`, then the key) without repetitions and without fields that `where` fixes to one value."""
    known = layout(table)
    fixed = {one.field for one in where if one.op == "="}
    result: dict[str, SortField] = {}
    for place, name in enumerate((*order, *known.key)):
        column = _sortable(table.name, known.columns, name)
        if name not in fixed and name not in result:
            result[name] = SortField(column, place)
    return list(result.values())


def last_seen(
    table: RecordTable[R], order: Sequence[str], fields: Sequence[SortField], after: Sequence[Scalar]
) -> list[Scalar]:
    """The values of `fields` in the (order…, key…) of the last record seen. Raises Refused for any other shape."""
    if len(after) != len(order) + len(table.key):
        raise Refused("This is no cursor of this list.")
    return [_scalar(value(field.column, after[field.place])) for field in fields]


def key_of(table: RecordTable[R], key: Sequence[Scalar]) -> Key:
    """`key` as its columns keep it. Raises Refused for a value they cannot hold, TypeError for another length."""
    columns = layout(table).columns
    if len(key) != len(table.key):
        raise TypeError(f"table {table.name!r} has a key of {len(table.key)} fields")
    return tuple(value(columns[name], given) for name, given in zip(table.key, key, strict=True))


def paired_columns(table: RecordTable[R], by: str, of: str) -> tuple[Column, Column]:
    """The columns that two lists are paired by and compared in. Raises TypeError where they do not serve for it."""
    columns = layout(table).columns
    if by not in table.key or of not in columns or columns[of].optional or columns[of].kind == "texts":
        raise TypeError(f"table {table.name!r}: cannot be paired by {by!r} and compared in {of!r}")
    return columns[by], columns[of]


def value(column: Column, given: object) -> Value:
    """`given` as the column keeps it, None included. Raises Refused for what it cannot hold."""
    match column.kind, given:
        case _, None:
            return None
        case "text", str(text):
            return _text(column.name, text)
        case "bool", bool(flag):
            return flag
        case "int", int(number) if not isinstance(number, bool) and -_INT8 <= number < _INT8:
            return number
        case "float", int() | float() if not isinstance(given, bool):
            return _finite(column.name, given)
        case "texts", tuple(texts):
            return tuple(_text(column.name, text) for text in texts)
    raise Refused(f"{column.name}: not a value of its kind ({column.kind})")


def asked(column: Column, condition: Where) -> Value:
    """The value of a condition as `column` compares it. Raises Refused where they do not go together."""
    given = condition.value
    match condition.op:
        case "in" if isinstance(given, tuple) and column.kind != "texts":
            return tuple(_scalar(value(column, one)) for one in given)
        case "contains" if column.kind == "text" and isinstance(given, str):
            return _text(column.name, given)
        case "has" if column.kind == "texts" and isinstance(given, str):
            return _text(column.name, given)
        case "=" | "<" | "<=" | ">" | ">=" if column.kind != "texts":
            return value(column, given)
    raise Refused(f"{column.name}: cannot be asked with {condition.op!r}")


def stored(table: RecordTable[R], record: R) -> dict[str, Value]:
    """The columns of `record`, key fields first. Raises Refused for a value that its column cannot hold."""
    result: dict[str, Value] = {}
    known = layout(table)
    for name, column in known.columns.items():
        kept = value(column, getattr(record, name))
        if kept is None and not column.optional:
            raise Refused(f"{name}: is never None")
        result[name] = kept
    for names in known.texts:
        texts = [kept for kept in map(result.get, names) if isinstance(kept, str)]
        # Characters are counted first: hardly any record comes near the bound.
        if 4 * sum(map(len, texts)) > MOST_KEY_BYTES and sum(len(text.encode()) for text in texts) > MOST_KEY_BYTES:
            raise Refused(f"{', '.join(names)}: too long for an index; use a digest as key")
    return result


def any_case(text: str) -> str:
    """A regular expression, the same for Python and PostgreSQL, that finds `text` literally in any case."""
    return "".join(_any_case(character) for character in text)


def having(texts: Iterable[str], part: str) -> list[str]:
    """Those that `any_case(part)` finds; an empty `part` is in all of them."""
    found = re.compile(any_case(part)).search
    return [text for text in texts if found(text)]


def _any_case(character: str) -> str:
    if character.isascii() and not character.isalnum():
        return re.escape(character) if character.isprintable() and character != " " else character
    forms = [form for form in (character, character.lower(), character.upper()) if len(form) == 1]
    distinct = dict.fromkeys(forms)
    return character if len(distinct) == 1 else f"[{''.join(distinct)}]"


def _texts(columns: dict[str, Column], orders: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """The text fields of each order, but for orders whose texts are all in another."""
    found = list(dict.fromkeys(tuple(name for name in order if columns[name].kind == "text") for order in orders))
    return tuple(one for one in found if one and not any(set(one) < set(other) for other in found))


def _fields(record: type[msgspec.Struct]) -> tuple[inspect.Field, ...]:
    described = inspect.type_info(record)
    if not isinstance(described, inspect.StructType):
        raise TypeError(f"{record!r} is no struct")
    return described.fields


def _column(table: str, name: str, kinds: dict[str, inspect.Type]) -> Column:
    described = kinds.get(name)
    if described is None:
        raise TypeError(f"table {table!r}: the record has no field {name!r}")
    members = described.types if isinstance(described, inspect.UnionType) else (described,)
    plain = [one for one in members if not isinstance(one, inspect.NoneType)]
    kind = _kind(plain[0]) if len(plain) == 1 else None
    if kind is None:
        raise TypeError(f"table {table!r}: field {name!r} is of a kind that no column holds")
    return Column(name, kind, len(plain) != len(members))


def _kind(described: inspect.Type) -> Kind | None:
    if isinstance(described, inspect.LiteralType):
        if all(isinstance(one, str) for one in described.values):
            return "text"
        return "int" if all(type(one) is int for one in described.values) else None
    if isinstance(described, inspect.VarTupleType):
        return "texts" if _kind(described.item_type) == "text" else None
    return _KINDS.get(type(described))


def _sortable(table: str, columns: dict[str, Column], name: str) -> Column:
    column = columns.get(name)
    if column is None or column.kind == "texts":
        raise TypeError(f"table {table!r}: cannot be ordered by {name!r}")
    return column


def _text(name: str, text: str) -> str:
    # Lone surrogates have no UTF-8, and NUL no place in a PostgreSQL text.
    if "\0" in text or not (text.isascii() or text.encode(errors="ignore").decode() == text):
        raise Refused(f"{name}: text that cannot be kept")
    return text


def _finite(name: str, number: float) -> float:
    try:
        result = float(number)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise Refused(f"{name}: not a finite number")
    return result


def _scalar(kept: Value) -> Scalar:
    if isinstance(kept, tuple):
        raise Refused("This is no cursor of this list.")
    return kept
