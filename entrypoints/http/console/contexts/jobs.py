"""The table of jobs."""

from __future__ import annotations

from typing import Literal

import msgspec

from application.projections.run import RunStatus
from application.queries.job_column import Column
from application.queries.job_notes import MetricNote
from application.queries.run import RunItem
from entrypoints.http.console.contexts.page import Page

CellKind = Literal["text", "number", "time", "heard", "status", "owner", "tags", "duration", "transport", "unknown"]


class CellView(msgspec.Struct, frozen=True, kw_only=True):
    """One cell."""

    kind: CellKind
    text: str = ""
    """As it is read; of a time the ISO-8601 moment."""
    more: str = ""
    """Behind it: a unit, or a ratio in percent."""
    tags: tuple[str, ...] = ()


class JobView(msgspec.Struct, frozen=True, kw_only=True):
    """One row."""

    run: RunItem
    cells: list[CellView]
    """One a column."""
    lossy: bool
    """Whether its reporters dropped anything."""


class Heading(msgspec.Struct, frozen=True, kw_only=True):
    """One column."""

    label: str
    kind: str
    """`config`, or the statistic of a series; empty for what the server knows of every job."""
    sort: str
    """Address that sorts by it, the other way where it is sorted by already."""
    sorted: Literal["ascending", "descending"] | None
    """None where the table is sorted by something else."""
    pin: int | None
    """Its place among the pinned ones, from 0."""
    numeric: bool
    """Read from the right."""


class ChosenColumn(msgspec.Struct, frozen=True, kw_only=True):
    """A column in the list to arrange; addresses are None where there is nothing to do."""

    heading: Heading
    left: str | None
    """Moves it; None where it stands at the end of its kind, pinned or not."""
    right: str | None
    """The same, the other way."""
    pin: str | None
    """Pins it, or lets it go."""
    remove: str
    statistics: list[tuple[str, str]]
    """Other numbers of the same series, each with its address."""


class OfferedColumn(msgspec.Struct, frozen=True, kw_only=True):
    label: str
    kind: str
    add: str
    """Address with the column in it."""


class ConditionView(msgspec.Struct, frozen=True, kw_only=True):
    """A condition that is asked for."""

    text: str
    """As it was written."""
    meant: str
    """What its name was taken for, where that is not what was written; empty otherwise."""
    nobody_knows: bool
    """No job reported anything of that name."""
    without: str
    """Address without it."""


class Offered(msgspec.Struct, frozen=True, kw_only=True):
    """Columns that were found."""

    facts: list[OfferedColumn]
    configs: list[OfferedColumn]
    metrics: list[OfferedColumn]
    more: bool
    """Others are there too: search for them."""


class JobsPage(Page, frozen=True, kw_only=True):
    template = "jobs.html"
    jobs: list[JobView]
    """In the order asked for."""
    headings: list[Heading]
    """Of the columns, beside the name."""
    name_heading: Heading
    """Of the first column, which is always there."""
    chosen: list[ChosenColumn]
    """The columns as they can be arranged."""
    conditions: list[ConditionView]
    """All must be met."""
    problem: str
    """Why a condition was not understood, so that nothing is shown; empty where all were."""
    notes: list[MetricNote]
    """Of metric columns whose jobs do not all assert one comparison identity."""
    sorted_by: Column
    """The column they are sorted by."""
    agreed: list[MetricNote]
    """Of the metric the table is sorted by, where they do."""
    without_points: list[str]
    """Keys of metric columns of which no job shown has a point."""
    summary: str
    """How many jobs are shown of how many."""
    order: str
    """What they are sorted by, in words."""
    statuses: tuple[RunStatus, ...]
    """To choose from."""
    q: str
    """Searched in name, id, recipe and framework; empty: everything."""
    status: RunStatus | None
    """Shown alone; None: all."""
    owner: str
    """Shown alone; empty: all."""
    tag: str
    """Shown alone; empty: all."""
    kept: list[tuple[str, str]]
    """What a search keeps of the address: names and values of conditions, columns and order."""
    filters: list[tuple[str, str]]
    """What a new condition keeps of the address beside that: search and filters."""
    filtered: bool
    """Some jobs may be left out."""
    any_jobs: bool
    """There are jobs, shown or not."""
    here: str
    """Address of this page, to read it again."""
    csv: str
    """Address of the whole table as a file."""
    usual: str | None
    """Address with the usual columns; None where they are shown."""
    find: str
    """What was searched for among columns; empty: nothing."""
    offered: Offered | None
    """Columns that were found; None where nothing was asked."""
    finder: str
    """Address that finds columns."""
    pages: list[tuple[str, str]]
    """Links to other pages: words and addresses."""


class ColumnsPart(Page, frozen=True, kw_only=True):
    template = "jobs_columns_part.html"
    offered: Offered | None
    """Columns that were found."""
