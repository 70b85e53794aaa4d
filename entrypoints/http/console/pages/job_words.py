"""What the table of jobs says of itself, in words."""

from __future__ import annotations

from application.queries.job_column import Column, FactColumn, MetricColumn, Sort
from application.queries.job_condition import Condition
from application.queries.job_notes import MetricCell
from application.queries.job_table import Table
from entrypoints.http.console.contexts.jobs import ConditionView
from entrypoints.http.console.table_look import TableLook, label
from entrypoints.http.console.wording import plural


def summary_words(shown: Table, *, filtered: bool) -> str:
    """`51 to 100 of 312 jobs that meet the filters, 10,000 in all`."""
    if not shown.rows:
        return f"0 of {plural(shown.jobs, 'job')}" if shown.jobs else ""
    whole = len(shown.rows) == shown.met
    part = "" if whole else f"{shown.first + 1:,} to {shown.first + len(shown.rows):,} of "
    if not filtered:
        return part + plural(shown.met, "job")
    meet = "meets" if shown.met == 1 else "meet"
    return f"{part}{plural(shown.met, 'job')} that {meet} the filters, {shown.jobs:,} in all"


def order_words(sort: Sort) -> str:
    """`sorted by last loss, greatest first, unknown last`."""
    words, kind = label(sort.column)
    if sort.column == FactColumn("created"):
        return "newest first" if sort.descending else "oldest first"
    name = f"{kind} {words}" if kind else words.lower()
    return f"sorted by {name}, {'greatest first' if sort.descending else 'least first'}, unknown last"


def condition_views(table: TableLook, shown: Table) -> list[ConditionView]:
    """The conditions; where one of them was not understood, all as they were written."""
    meant = [(_meant(*one), one[0].name in shown.nobody_knows) for one in shown.conditions]
    return [
        ConditionView(
            text=text,
            meant=words,
            nobody_knows=nobody_knows,
            without=table.address(where=tuple(one for one in table.where if one != text)),
        )
        for text, (words, nobody_knows) in zip(table.where, meant or [("", False)] * len(table.where), strict=True)
    ]


def _meant(condition: Condition, column: Column) -> str:
    words, kind = label(column)
    return "" if isinstance(column, FactColumn) or condition.name == str(column) else f"{kind} {words}"


def without_points(shown: Table) -> list[str]:
    """Keys of metric columns of which no job on this page has a value."""
    found = []
    for at, column in enumerate(shown.columns):
        cells = [row.cells[at] for row in shown.rows]
        known = [one for one in cells if isinstance(one, MetricCell) and one.value is not None]
        if isinstance(column, MetricColumn) and cells and not known:
            found.append(column.key)
    return list(dict.fromkeys(found))
