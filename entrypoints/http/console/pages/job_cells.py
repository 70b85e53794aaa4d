"""Cells of the table of jobs as they are read."""

from __future__ import annotations

from application.queries.job_column import Column, Fact, FactColumn
from application.queries.job_condition import Cell
from application.queries.job_notes import MetricCell
from application.queries.moment import moment
from application.queries.observation_contract import Descriptor
from entrypoints.http.console.contexts.jobs import CellView
from entrypoints.http.console.wording import value

_UNKNOWN = CellView(kind="unknown")
_SECOND = 1_000_000
_MINUTE = 60
_HOUR = 3_600
_DAY = 86_400


def cell_view(one: Column, cell: Cell | MetricCell) -> CellView:
    """A cell of a column."""
    if one == FactColumn("heard"):
        return CellView(kind="heard")
    if isinstance(cell, MetricCell):
        return _metric(cell.value, cell.descriptor or {})
    return _of_fact(one.fact, cell) if isinstance(one, FactColumn) else _of_text(cell)


def _of_fact(fact: Fact, cell: Cell) -> CellView:
    match fact, cell:
        case (("status" | "owner" | "transport"), str()):
            return CellView(kind=fact, text=cell)
        case (("created" | "started" | "finished"), int()):
            return CellView(kind="time", text=moment(cell))
        case "duration", int():
            return CellView(kind="duration", text=duration(cell // _SECOND))
        case "tags", tuple():
            return CellView(kind="tags", tags=cell)
    return _of_text(cell)


def _of_text(cell: Cell) -> CellView:
    match cell:
        case None:
            return _UNKNOWN
        case bool():
            return CellView(kind="text", text="true" if cell else "false")
        case int() | float():
            return CellView(kind="number", text=_number(cell))
    return CellView(kind="text", text=str(cell))


def duration(seconds: int) -> str:
    """`42 s`, `3 min 5 s`, `2 h 7 min`, `3 d 4 h`."""
    if seconds < _MINUTE:
        return f"{seconds} s"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE} min {seconds % _MINUTE} s"
    if seconds < _DAY:
        return f"{seconds // _HOUR} h {seconds % _HOUR // _MINUTE} min"
    return f"{seconds // _DAY} d {seconds % _DAY // _HOUR} h"


def _metric(measured: float | None, said: Descriptor) -> CellView:
    """As the job declared it: a ratio is 0 to 1, a percentage 0 to 100 already; what nobody declared is a number."""
    if measured is None:
        return _UNKNOWN
    match said.get("display"), said.get("unit"):
        case "percent", _:
            return CellView(kind="number", text=_number(measured), more="%")
        case "ratio", _:
            return CellView(kind="number", text=_number(measured), more=f"= {_number(100 * measured)} %")
        case _, str(unit):
            return CellView(kind="number", text=_number(measured), more=unit)
    return CellView(kind="number", text=_number(measured))


def _number(measured: float) -> str:
    return str(measured) if isinstance(measured, int) else value(measured)
