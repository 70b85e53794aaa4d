"""Columns of the table of jobs, and how an address names them: `status`, `config:lr`, `last:eval/accuracy`."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from domain.errors import Refused

Fact = Literal[
    "name",
    "id",
    "status",
    "owner",
    "tags",
    "recipe",
    "framework",
    "attempt",
    "created",
    "started",
    "finished",
    "heard",
    "duration",
    "transport",
]
"""What the server knows of every job."""
Statistic = Literal["last", "min", "max", "mean"]
"""What is shown of a series: of the surviving lineage."""
FACTS: tuple[Fact, ...] = get_args(Fact)
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)
TIMES = frozenset({"created", "started", "finished", "heard"})
MOST_COLUMNS = 32
_KEY_CHARS = 1024


class FactColumn(msgspec.Struct, frozen=True):
    """Something that the server knows of every job."""

    fact: Fact

    def __str__(self) -> str:
        return self.fact


class ConfigColumn(msgspec.Struct, frozen=True):
    """A hyperparameter of the latest attempt."""

    key: str

    def __str__(self) -> str:
        return f"config:{self.key}"


class MetricColumn(msgspec.Struct, frozen=True):
    """A series of the surviving lineage in one number."""

    statistic: Statistic
    key: str

    def __str__(self) -> str:
        return f"{self.statistic}:{self.key}"


Column = FactColumn | ConfigColumn | MetricColumn


class Sort(msgspec.Struct, frozen=True):
    """By which column, and which way."""

    column: Column
    descending: bool

    def __str__(self) -> str:
        return f"-{self.column}" if self.descending else str(self.column)


NEWEST_FIRST = Sort(FactColumn("created"), descending=True)


def column(name: str, field: str = "column") -> Column:
    """The column that an address names. Raises `Refused`."""
    found = fact_column(name)
    if found is not None:
        return found
    kind, colon, key = name.partition(":")
    if colon and 0 < len(key) <= _KEY_CHARS:
        if kind == "config":
            return ConfigColumn(key)
        for statistic in STATISTICS:
            if kind == statistic:
                return MetricColumn(statistic, key)
    raise Refused.at(
        field, f"must be one of {', '.join(FACTS)}, or config:KEY, or {', '.join(f'{one}:KEY' for one in STATISTICS)}"
    )


def fact_column(name: str) -> FactColumn | None:
    """The column of a fact; None where `name` is no fact's."""
    return next((FactColumn(fact) for fact in FACTS if fact == name), None)


def columns(names: list[str], field: str = "column") -> tuple[Column, ...]:
    """Several, each once. Raises `Refused`."""
    found = tuple(dict.fromkeys(column(name, field) for name in names))
    if len(found) > MOST_COLUMNS:
        raise Refused.at(field, f"may be given at most {MOST_COLUMNS} times", MOST_COLUMNS)
    return found


def sort(name: str) -> Sort:
    """`duration`, or `-duration` for the greatest first; empty: the newest first. Raises `Refused`."""
    if not name:
        return NEWEST_FIRST
    return Sort(column(name.removeprefix("-"), "sort"), descending=name.startswith("-"))
