"""The top of a review: the two jobs, or what chooses them; and addresses that keep both and the moment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Literal

import msgspec
from litestar.di import NamedDependency, Provide
from litestar.params import FromQuery, QueryParameter, SkipValidation

from application.ports.views import Views
from application.queries.moment import moment
from application.queries.run import run_item
from application.queries.transport import transport
from domain.ids import RunId
from entrypoints.http.console.addresses import Query, address_of, pairs
from entrypoints.http.console.console import Console, moment_of
from entrypoints.http.console.contexts.picker import Picker
from entrypoints.http.console.contexts.review import ReviewedSide, Sides
from entrypoints.http.console.look import Look, look_of
from entrypoints.http.console.pages.picker import SEARCH_CHARS, picker

SideName = Literal["left", "right"]
Search = Annotated[str, QueryParameter(max_length=SEARCH_CHARS)]
SIDES: tuple[SideName, ...] = ("left", "right")


class Reviewed(msgspec.Struct, frozen=True, kw_only=True):
    """What the address of a review names."""

    left: str = ""
    """A run, or `run:round`; empty: to be chosen."""
    right: str = ""
    as_of: int | None = None

    def address(self, path: str = "/review", **query: object) -> str:
        """A page of the same review; what is empty or None in `query` is left out."""
        return address_of(path, {**self._query(), **query})

    def kept(self) -> list[tuple[str, str]]:
        """The review as fields of a form."""
        return pairs(self._query())

    def _query(self) -> Query:
        return {"left": self.left, "right": self.right, "as_of": self.as_of}

    def run(self, side: SideName) -> str:
        """The job on one side; empty: to be chosen."""
        return (self.left if side == "left" else self.right).partition(":")[0]

    def look(self, side: SideName) -> Look:
        """The job on one side."""
        return look_of(self.run(side), as_of="" if self.as_of is None else str(self.as_of))

    def jobs(self) -> Reviewed:
        """The same two jobs, without rounds."""
        return Reviewed(left=self.run("left"), right=self.run("right"), as_of=self.as_of)


def reviewed_of(left: FromQuery[str] = "", right: FromQuery[str] = "", as_of: FromQuery[str] = "") -> Reviewed:
    """From an address: the dependency `reviewed`. Raises `Refused`."""
    return Reviewed(left=left, right=right, as_of=look_of("", as_of=as_of).as_of)


class Seeking(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked for to choose from: jobs for a side, or older rounds of it."""

    jobs: dict[SideName, str]
    """Searched for in names; empty: the newest."""
    rounds: dict[SideName, str]
    """Cursors; empty: the latest."""


def seeking_of(
    find_left: Search = "", find_right: Search = "", left_rounds: FromQuery[str] = "", right_rounds: FromQuery[str] = ""
) -> Seeking:
    """From an address: the dependency `seeking`."""
    return Seeking(jobs={"left": find_left, "right": find_right}, rounds={"left": left_rounds, "right": right_rounds})


Reviewing = NamedDependency[SkipValidation[Reviewed]]
Sought = NamedDependency[SkipValidation[Seeking]]
DEPENDENCIES = {
    "reviewed": Provide(reviewed_of, sync_to_thread=False),
    "seeking": Provide(seeking_of, sync_to_thread=False),
}


@contextmanager
def views_of(console: Console, reviewed: Reviewed) -> Iterator[Views]:
    """The views of the jobs that are chosen, at one position for both."""
    first, *beside = [side for side in SIDES if reviewed.run(side)] or ["left"]
    with console.views(reviewed.look(first), *map(reviewed.run, beside)) as views:
        yield views


def pickers_of(console: Console, reviewed: Reviewed, seeking: Seeking) -> dict[SideName, Picker]:
    """A search for each job that is not chosen. Before other views are opened: nobody holds two snapshots at once."""
    missing = [side for side in SIDES if not reviewed.run(side)]
    if not missing:
        return {}
    with console.reading.now() as views:
        return {side: _picker(views, reviewed.jobs(), side, seeking.jobs[side]) for side in missing}


def sides_of(
    views: Views | None, reviewed: Reviewed, pickers: dict[SideName, Picker], *, here: str, path: str
) -> Sides:
    """Both jobs, or their pickers. Raises `UnknownRun`. `views`: None where no job is chosen."""
    chosen = {side: _side(views, reviewed, side) for side in SIDES if views is not None and reviewed.run(side)}
    time = None
    if reviewed.as_of is not None and views is not None:
        time = moment(moment_of(views, reviewed.look("left")))
    exchanged = _replaced(reviewed, left=reviewed.right, right=reviewed.left)
    return Sides(
        left=chosen.get("left"),
        right=chosen.get("right"),
        left_picker=pickers.get("left"),
        right_picker=pickers.get("right"),
        swapped=None if pickers else exchanged.address(path),
        position=reviewed.as_of,
        as_of=time,
        now=_replaced(reviewed, as_of=None).address(path),
        here=here,
    )


def _side(views: Views, reviewed: Reviewed, side: SideName) -> ReviewedSide:
    look = reviewed.look(side)
    now = moment_of(views, look)
    run = run_item(views, RunId(look.run_id), now=now)
    jobs = reviewed.jobs()
    return ReviewedSide(
        run=run,
        page=look.page(),
        change=(_replaced(jobs, left="") if side == "left" else _replaced(jobs, right="")).address(),
        transport=transport(views, run.run_id, now=now),
    )


def _picker(views: Views, jobs: Reviewed, side: SideName, q: str) -> Picker:
    return picker(
        views,
        q,
        action="/review",
        field=f"find_{side}",
        label=f"Job on the {side}",
        kept=dict(jobs.kept()),
        address=lambda run: (_replaced(jobs, left=run) if side == "left" else _replaced(jobs, right=run)).address(),
    )


def _replaced(reviewed: Reviewed, **changes: object) -> Reviewed:
    return msgspec.structs.replace(reviewed, **changes)
