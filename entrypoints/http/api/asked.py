"""What is asked of the table of jobs, as an address says it: the dependency `asked`."""

from __future__ import annotations

from typing import Annotated

from litestar.params import FromQuery, QueryParameter

from application.projections.run import RunStatus
from application.queries import job_column
from application.queries.job_table import Asked

_COLUMN = "`status`, `duration`, …, `config:KEY`, or `last:KEY`, `min:KEY`, `max:KEY`, `mean:KEY` of a series"
_CONDITION = "`lr < 1e-4`, `eval/accuracy >= 0.9`, `owner = ada`, `lr = unknown`"
_SORT_CHARS = 1040

Search = Annotated[str, QueryParameter(max_length=256)]
Columns = Annotated[
    list[str] | None, QueryParameter(name="column", description=f"To be shown under `columns`; each {_COLUMN}.")
]
Conditions = Annotated[list[str] | None, QueryParameter(name="where", description=f"Each must be met: {_CONDITION}.")]
Order = Annotated[
    str,
    QueryParameter(name="sort", max_length=_SORT_CHARS, description=f"{_COLUMN}; with `-` before it downwards."),
]


def asked_of(
    status: FromQuery[RunStatus | None] = None,
    owner: FromQuery[str | None] = None,
    tag: FromQuery[str | None] = None,
    q: Search = "",
    column: Columns = None,
    where: Conditions = None,
    sort: Order = "",
) -> Asked:
    """Raises `Refused`."""
    return Asked(
        columns=job_column.columns(column or []),
        sort=job_column.sort(sort),
        where=tuple(where or ()),
        status=status,
        owner=owner,
        tag=tag,
        q=q,
    )
