"""Columns of the table of jobs: their headings, how they are arranged, and which others there are."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from application.queries.job_column import (
    FACTS,
    MOST_COLUMNS,
    STATISTICS,
    TIMES,
    Column,
    ConfigColumn,
    FactColumn,
    MetricColumn,
    Sort,
)
from application.queries.job_table import Asked
from entrypoints.http.console.contexts.jobs import ChosenColumn, Heading, Offered, OfferedColumn
from entrypoints.http.console.table_look import MOST_PINS, TableLook, label

MOST_OFFERED = 40
"""Of hyperparameters, and as many series."""
_DOWN_FIRST = TIMES | {"duration", "attempt"}


def headings(table: TableLook, asked: Asked) -> list[Heading]:
    """Of every column that is shown."""
    return [heading(table, one, at if at < table.pins else None) for at, one in enumerate(asked.columns)]


def heading(table: TableLook, column: Column, pin: int | None) -> Heading:
    """One, with the address that sorts by it."""
    words, kind = label(column)
    by_it = table.sort.column == column
    fact = column.fact if isinstance(column, FactColumn) else None
    downwards = not table.sort.descending if by_it else fact in _DOWN_FIRST
    way: Literal["ascending", "descending"] = "descending" if table.sort.descending else "ascending"
    return Heading(
        label=words,
        kind=kind,
        sort=table.address(sort=Sort(column, downwards)),
        sorted=way if by_it else None,
        pin=pin,
        numeric=isinstance(column, MetricColumn) or fact in {"duration", "attempt"},
    )


def chosen(table: TableLook) -> list[ChosenColumn]:
    """The columns as they can be arranged."""
    return [_chosen(table, at) for at in range(len(table.columns))]


def _chosen(table: TableLook, at: int) -> ChosenColumn:
    column, pinned = table.columns[at], at < table.pins
    first, last = (0, table.pins - 1) if pinned else (table.pins, len(table.columns) - 1)
    return ChosenColumn(
        heading=heading(table, column, at if pinned else None),
        left=_arranged(table, at, at - 1) if at > first else None,
        right=_arranged(table, at, at + 1) if at < last else None,
        pin=_pinned(table, at),
        remove=_with(table, [one for one in table.columns if one != column], table.pins - pinned),
        statistics=_statistics(table, at, column),
    )


def _arranged(table: TableLook, at: int, to: int) -> str:
    columns = list(table.columns)
    columns[at], columns[to] = columns[to], columns[at]
    return _with(table, columns, table.pins)


def _pinned(table: TableLook, at: int) -> str | None:
    """Behind those that are pinned already, or before those that are not."""
    if at >= table.pins == MOST_PINS:
        return None
    column, others = table.columns[at], [one for one in table.columns if one != table.columns[at]]
    pins = table.pins - 1 if at < table.pins else table.pins
    others.insert(pins, column)
    return _with(table, others, pins if at < table.pins else pins + 1)


def _statistics(table: TableLook, at: int, column: Column) -> list[tuple[str, str]]:
    if not isinstance(column, MetricColumn):
        return []
    found: list[tuple[str, str]] = []
    for statistic in STATISTICS:
        other = msgspec.structs.replace(column, statistic=statistic)
        if other not in table.columns:
            columns = [*table.columns[:at], other, *table.columns[at + 1 :]]
            # An order by the one becomes an order by the other.
            sort = msgspec.structs.replace(table.sort, column=other) if table.sort.column == column else table.sort
            found.append((statistic, _with(table, columns, table.pins, sort=sort)))
    return found


def _with(table: TableLook, columns: list[Column], pins: int, **changes: Any) -> str:  # noqa: ANN401 - of TableLook
    return table.address(columns=tuple(columns), pins=pins, page=table.page, **changes)


def offered(table: TableLook, sought: str, found: tuple[list[str], list[str]]) -> Offered:
    """What can be added; `found` are keys of hyperparameters and of series, one more than are offered where so many."""
    configs, metrics = found
    part = sought.casefold()
    facts = [FactColumn(fact) for fact in FACTS if fact != "name"]
    return Offered(
        facts=_new(table, [one for one in facts if part in label(one)[0].casefold()]),
        configs=_new(table, [ConfigColumn(key) for key in configs[:MOST_OFFERED]]),
        metrics=_new(table, [MetricColumn("last", key) for key in metrics[:MOST_OFFERED]]),
        more=len(configs) > MOST_OFFERED or len(metrics) > MOST_OFFERED,
    )


def _new(table: TableLook, columns: list[Any]) -> list[OfferedColumn]:
    if len(table.columns) >= MOST_COLUMNS:
        return []
    return [
        OfferedColumn(label=label(one)[0], kind=label(one)[1], add=_with(table, [*table.columns, one], table.pins))
        for one in columns
        if one not in table.columns
    ]
