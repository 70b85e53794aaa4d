"""Conditions on a column of the table of jobs, as people write them: `lr < 1e-4`, `owner = ada`.

A name, an operator, a value: nothing is evaluated. What is unknown meets `= unknown` alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal, TypeGuard, get_args

import msgspec

from application.queries.job_column import TIMES, Column, FactColumn
from domain.errors import Refused

Operator = Literal["<=", ">=", "!=", "=", "<", ">", "~"]
Cell = str | int | float | bool | tuple[str, ...] | None
"""None: unknown. Times and durations are microseconds."""
Test = Callable[[Cell], bool]

MOST_CONDITIONS = 16
_OPERATORS: tuple[Operator, ...] = get_args(Operator)
MOST_CHARS = 512
_CONDITION = re.compile(
    r"""\s*(?:"(?P<quoted>[^"]+)"|(?P<name>[^\s"][^"]*?))\s*(?P<op><=|>=|!=|==|=|<|>|~)\s*"""
    r"""(?:"(?P<text>[^"]*)"|(?P<value>[^"]*?))\s*""",
    re.DOTALL,
)
_ORDERED: dict[str, Callable[[float, float], bool]] = {
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
}
_SECOND = 1_000_000
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(s|sec|m|min|h|d)?")
_UNITS = {None: 1, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400}
_HINT = 'write it as name, operator, value: lr < 1e-4, eval/accuracy >= 0.9, owner = ada, "odd name" ~ text'


class Condition(msgspec.Struct, frozen=True, kw_only=True):
    """One condition, as it was written; what its name means is not decided yet."""

    name: str
    operator: Operator
    value: str
    quoted: bool
    """The value stood in quotes: it is text, whatever it looks like."""


def condition(text: str) -> Condition:
    """Raises `Refused`, which says how it is written."""
    found = _CONDITION.fullmatch(text) if len(text) <= MOST_CHARS else None
    if found is None:
        raise Refused.at("where", _HINT)
    operator, quoted = found["op"], found["text"] is not None
    value = found["text"] if quoted else found["value"]
    if not value and not quoted:
        raise Refused.at("where", _HINT)
    return Condition(
        name=found["quoted"] or found["name"],
        operator=next(one for one in _OPERATORS if one == ("=" if operator == "==" else operator)),
        value=value,
        quoted=quoted,
    )


def test_of(asked: Condition, column: Column) -> Test:
    """Whether a cell of `column` meets the condition. Raises `Refused` where they do not go together."""
    if asked.value == "unknown" and not asked.quoted:
        return _known(asked)
    if asked.operator == "~":
        part = asked.value.casefold()
        return lambda cell: any(part in text.casefold() for text in _texts(cell))
    number = _number(asked, column)
    if asked.operator in _ORDERED:
        if number is None:
            raise Refused.at("where", f"{asked.name} {asked.operator}: needs {_wanted(column)}, not {asked.value!r}")
        compare = _ORDERED[asked.operator]
        return lambda cell: _is_number(cell) and compare(cell, number)
    equal = _equal(asked.value, number)
    if asked.operator == "=":
        return equal
    return lambda cell: cell is not None and not equal(cell)


def _known(asked: Condition) -> Test:
    match asked.operator:
        case "=":
            return lambda cell: cell is None
        case "!=":
            return lambda cell: cell is not None
    raise Refused.at("where", f"{asked.name} {asked.operator} unknown: only = and != ask for what is unknown")


def _equal(value: str, number: float | None) -> Test:
    return lambda cell: value in _texts(cell) or (number is not None and _is_number(cell) and cell == number)


def _is_number(cell: Cell) -> TypeGuard[int | float]:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _texts(cell: Cell) -> tuple[str, ...]:
    """A cell as it is compared with text."""
    match cell:
        case None:
            return ()
        case bool():
            return ("true" if cell else "false",)
        case str():
            return (cell,)
        case tuple():
            return cell
    return (repr(cell),)


def _number(asked: Condition, column: Column) -> float | None:
    """The value as the column counts; None where it is none."""
    if asked.quoted:
        return None
    fact = column.fact if isinstance(column, FactColumn) else None
    if fact in TIMES:
        return _time(asked.value)
    if fact == "duration":
        return _duration(asked.value)
    try:
        number = float(asked.value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _time(text: str) -> float | None:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() * _SECOND


def _duration(text: str) -> float | None:
    found = _DURATION.fullmatch(text)
    return float(found[1]) * _UNITS[found[2]] * _SECOND if found else None


def _wanted(column: Column) -> str:
    fact = column.fact if isinstance(column, FactColumn) else None
    if fact in TIMES:
        return "a date or time in UTC such as 2026-01-31 or 2026-01-31T12:00"
    return "a duration such as 90s, 15min, 2h or 3d" if fact == "duration" else "a number"
