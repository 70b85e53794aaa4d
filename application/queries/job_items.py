"""Rows of the table of jobs as programs read them: a run, and its columns by name."""

from __future__ import annotations

from application.queries.job_column import TIMES, Column, FactColumn
from application.queries.job_condition import Cell
from application.queries.job_notes import MetricCell
from application.queries.job_table import Table
from application.queries.moment import moment
from application.queries.run import RunItem

Shown = str | int | float | bool | list[str] | None
_SECOND = 1_000_000


class TableItem(RunItem, frozen=True, kw_only=True):
    """A run of the table."""

    columns: dict[str, Shown]
    """The columns that were asked for; times are ISO-8601, durations seconds (of a silent job until it was
    last heard), None is unknown."""


def table_items(table: Table) -> list[TableItem]:
    """One a row."""
    return [
        TableItem(
            **{name: getattr(row.run, name) for name in row.run.__struct_fields__},
            columns={str(one): _shown(one, cell) for one, cell in zip(table.columns, row.cells, strict=True)},
        )
        for row in table.rows
    ]


def _shown(one: Column, cell: Cell | MetricCell) -> Shown:
    fact = one.fact if isinstance(one, FactColumn) else None
    match cell:
        case MetricCell():
            return cell.value
        case tuple():
            return list(cell)
        case int() if fact in TIMES:
            return moment(cell)
        case int() if fact == "duration":
            return cell / _SECOND
    return cell
