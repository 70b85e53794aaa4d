"""What of the table of jobs is looked at, and addresses that show the same: `Look` of a job's pages, for the table."""

from __future__ import annotations

from typing import Annotated, Any, get_args

import msgspec
from litestar.params import FromQuery, QueryParameter

from application.projections.run import RunStatus
from application.queries import job_column
from application.queries.job_column import Column, ConfigColumn, Fact, FactColumn, Sort
from application.queries.job_table import Asked
from domain.errors import Refused
from entrypoints.http.console.addresses import Query, address_of
from entrypoints.http.console.whole_number import whole_number

STATUSES: tuple[RunStatus, ...] = get_args(RunStatus)
USUAL: tuple[Column, ...] = (
    FactColumn("status"),
    FactColumn("owner"),
    FactColumn("tags"),
    FactColumn("started"),
    FactColumn("heard"),
    FactColumn("duration"),
)
"""Shown where an address names no columns."""
MOST_PINS = 4
_LABELS: dict[Fact, str] = {"heard": "Last heard", "transport": "Transport health"}
_MOST_WRITTEN = 64
_CONDITION_CHARS = 1_024
_LAST_PAGE = 999_999_999
Search = Annotated[str, QueryParameter(max_length=256)]


class TableLook(msgspec.Struct, frozen=True, kw_only=True):
    """Where a reader of the table stands."""

    q: str = ""
    status: RunStatus | None = None
    owner: str = ""
    tag: str = ""
    where: tuple[str, ...] = ()
    """Conditions as they were written; nobody has understood them yet."""
    columns: tuple[Column, ...] = USUAL
    """In order; pinned ones first."""
    pins: int = 0
    """How many of them are pinned."""
    sort: Sort = job_column.NEWEST_FIRST
    page: int = 1

    def query(self) -> Query:
        """What its address says."""
        shown = () if self.usual else self.columns
        return {
            "q": self.q,
            "status": self.status,
            "owner": self.owner,
            "tag": self.tag,
            "where": list(self.where),
            "pin": list(shown[: self.pins]),
            "column": list(shown[self.pins :]),
            "sort": None if self.sort == job_column.NEWEST_FIRST else self.sort,
            "page": None if self.page == 1 else self.page,
        }

    def address(self, path: str = "/", **changes: Any) -> str:  # noqa: ANN401 - fields of its own
        """A page of the same table, looked at otherwise; on its first page, unless `page` says which."""
        return address_of(path, msgspec.structs.replace(self, **{"page": 1, **changes}).query())

    def asked(self) -> Asked:
        """The question. What it is sorted by is shown, where it is not what the server knows of every job."""
        shown = self.columns
        if not isinstance(self.sort.column, FactColumn) and self.sort.column not in shown:
            shown = (*shown, self.sort.column)
        return Asked(
            columns=shown,
            sort=self.sort,
            where=self.where,
            status=self.status,
            owner=self.owner or None,
            tag=self.tag or None,
            q=self.q.strip(),
        )

    @property
    def usual(self) -> bool:
        """Whether the columns are those that an address need not name."""
        return (self.columns, self.pins) == (USUAL, 0)

    @property
    def filtered(self) -> bool:
        """Whether some jobs may be left out."""
        return bool(self.q or self.status or self.owner or self.tag or self.where)


def table_look(
    q: Search = "",
    status: FromQuery[str] = "",
    owner: Search = "",
    tag: Search = "",
    where: FromQuery[list[str] | None] = None,
    column: FromQuery[list[str] | None] = None,
    pin: FromQuery[list[str] | None] = None,
    sort: FromQuery[str] = "",
) -> TableLook:
    """From an address: the dependency `table`; pages are numbered apart. Raises `Refused`."""
    pinned = job_column.columns(pin or [], "pin")
    if len(pinned) > MOST_PINS:
        raise Refused.at("pin", f"may be given at most {MOST_PINS} times", MOST_PINS)
    named = [*(str(one) for one in pinned), *(column or [])]
    return TableLook(
        q=q,
        status=_status(status),
        owner=owner,
        tag=tag,
        where=_conditions(where or []),
        columns=job_column.columns(named) if named else USUAL,
        pins=len(pinned),
        sort=job_column.sort(sort),
    )


def _conditions(where: list[str]) -> tuple[str, ...]:
    """As they were written, each once. What could only be meant to be too much is refused before it is shown."""
    if len(where) > _MOST_WRITTEN or any(len(one) > _CONDITION_CHARS for one in where):
        raise Refused.at("where", f"at most {_MOST_WRITTEN} conditions of {_CONDITION_CHARS} characters", _MOST_WRITTEN)
    return tuple(dict.fromkeys(one.strip() for one in where if one.strip()))


def page_number(text: str) -> int:
    """From 1. Raises `Refused`."""
    return whole_number("page", text, "the number of a page, from 1", least=1, most=_LAST_PAGE) or 1


def label(column: Column) -> tuple[str, str]:
    """What a column is called, and what kind it is; facts need no kind."""
    match column:
        case FactColumn(fact):
            return _LABELS.get(fact, fact.capitalize()), ""
        case ConfigColumn(key):
            return key, "config"
    return column.key, column.statistic


def _status(text: str) -> RunStatus | None:
    for status in STATUSES:
        if status == text:
            return status
    if text:
        raise Refused.at("status", f"must be one of {', '.join(STATUSES)}")
    return None
