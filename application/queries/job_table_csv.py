"""The table of jobs as CSV (RFC 4180): numbers as they are, durations in seconds, nothing where it is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from application.queries.csv_text import csv_lines, csv_text
from application.queries.job_column import TIMES, Column, FactColumn
from application.queries.job_condition import Cell
from application.queries.moment import moment

_SECOND = 1_000_000


def table_csv(columns: Sequence[Column], lines: Iterable[Sequence[Cell]]) -> str:
    """A line of the columns' names, and one for each job."""
    names = [csv_text(_heading(one)) for one in columns]
    rows = ([_cell(one, cell) for one, cell in zip(columns, line, strict=True)] for line in lines)
    return "".join(csv_lines(names, rows))


def _heading(one: Column) -> str:
    return "duration_seconds" if one == FactColumn("duration") else str(one)


def _cell(one: Column, cell: Cell) -> str:
    fact = one.fact if isinstance(one, FactColumn) else None
    match cell:
        case bool():
            return "true" if cell else "false"
        case int() if fact in TIMES:
            return moment(cell)
        case int() | float():
            return repr(cell / _SECOND if fact == "duration" else cell)
        case str() | tuple():
            return csv_text(cell if isinstance(cell, str) else ", ".join(cell))
    return ""
