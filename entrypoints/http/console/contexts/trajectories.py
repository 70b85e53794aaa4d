"""The index of a job's trajectories, one of them to read, and two beside each other."""

from __future__ import annotations

from typing import Literal

import msgspec

from application.queries.trajectory import Trajectory
from application.queries.trajectory_index import TrajectoryFilter
from application.queries.trajectory_outcome import TrajectoryOutcome
from application.queries.trajectory_text import Hit
from entrypoints.http.console.contexts.job import JobPage
from entrypoints.http.console.contexts.page import Page


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the index."""

    trajectory: Trajectory
    address: str
    """Where it is read; keeps the filters."""


class Category(msgspec.Struct, frozen=True, kw_only=True):
    """A link that shows one diagnostic category."""

    label: str
    count: int
    """Entries of the index under the other filters."""
    address: str
    chosen: bool


class TrajectoriesPage(JobPage, frozen=True, kw_only=True):
    template = "trajectories.html"
    rows: list[Row]
    """The latest first."""
    categories: list[Category]
    """All together, then each."""
    wanted: TrajectoryFilter
    """What is shown."""
    scopes: tuple[str, ...]
    """To choose from."""
    diagnostics: tuple[str, ...]
    """To choose from."""
    states: tuple[str, ...]
    """To choose from."""
    form: str
    """Address of the index, attempt and moment left to the form's hidden fields."""
    everything: str
    """Address without filters."""
    filtered: bool
    """Any filter is chosen."""
    here: str
    """Address of this page, to read it again."""
    first_page: str | None
    """Address of the first page; None on it."""
    next_page: str | None
    """Address of the next page; None on the last."""


class Link(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    """Of a message or page."""
    address: str


Kind = Literal["message", "call", "result", "moved"]


class MessageView(msgspec.Struct, frozen=True, kw_only=True):
    """One message as it is shown."""

    number: int
    """Among the retained ones, from 1."""
    anchor: str
    """Its id on the page."""
    address: str
    """The page it stands on, and its place there."""
    kind: Kind
    """`moved`: a result that is shown with its call, farther up."""
    role: str
    """As it was sent, or as its producer inferred it."""
    text: str
    preview: str
    """The beginning of a long text; empty where all of it is short."""
    line: str
    """Its first words, for a line that is folded."""
    formatted: bool
    """It is JSON, and was indented."""
    cut: bool
    """It ends with the mark of text that its producer cut."""
    tool_name: str | None
    """None: not said."""
    tool_call_id: str | None
    """None: not said."""
    duration: str
    """With its unit; empty where nobody said."""
    tokens: float | None
    """How many it has, as its producer counted; None: not said."""
    results: list[MessageView]
    """What came back, as far as it is on the same page."""
    elsewhere: list[Link]
    """Its results, or its call, on other pages; of a moved one, its call."""


class HitView(msgspec.Struct, frozen=True, kw_only=True):
    hit: Hit
    address: str
    """Of the message."""


class TextView(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to read."""

    problem: str
    """Why nothing can be read; empty where something can."""
    again: str
    """Address of this part, where trying again may help; else empty."""
    messages: list[MessageView]
    page: int
    pages: int
    previous: str | None
    """Address of the page before."""
    next: str | None
    """Address of the next page; None on the last."""
    numbers: list[Link]
    """All pages."""
    q: str
    """What is searched; empty: nothing."""
    found: int | None
    """Messages that hold it; None where nothing is searched."""
    hits: list[HitView]
    """The first hundred of them."""


Notice = tuple[Literal["capture", "complete", "truncated", "roles", "gone"], str]
"""What it is about, and what is to be known of it."""


class OutcomeView(msgspec.Struct, frozen=True, kw_only=True):
    """What was reported of the trial attempt."""

    outcome: TrajectoryOutcome
    address: str
    """The round's trials."""


class Other(msgspec.Struct, frozen=True, kw_only=True):
    """Another attempt of the same trial."""

    trajectory: Trajectory
    address: str
    beside: str
    """Both at once."""


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """One trajectory."""

    run_id: str
    trajectory: Trajectory
    address: str
    """Where it is read."""
    prefix: str
    """Of ids on the page, where two are beside each other."""
    notices: list[Notice]
    outcome: OutcomeView | None
    """None for a training rollout: it has none."""
    others: list[Other]
    text: TextView


class TrajectoryPage(JobPage, frozen=True, kw_only=True):
    template = "trajectory.html"
    reader: Reader
    """What is read."""
    index: str
    """Address of the index with the same filters."""
    newer: str | None
    """Address of the trajectory that came next, under the same filters."""
    older: str | None
    """Address of the one before."""
    filtered: bool
    """Any filter is chosen."""
    kept: list[tuple[str, str]]
    """What a search keeps of the address: filters, attempt, moment."""
    search: str
    """Where a search goes."""
    delete: str
    """Address of the question whether to delete its text; empty for whom may not, and where it is gone."""
    original: str
    """Address of the record as JSON."""


class TrajectoryTextPart(Page, frozen=True, kw_only=True):
    """The text alone, to try again."""

    template = "trajectory_text_part.html"
    reader: Reader
    """What is read."""


class TrajectoryDeletionPage(JobPage, frozen=True, kw_only=True):
    template = "trajectory_deletion.html"
    trajectory: Trajectory
    """Whose text is to go."""
    back: str
    """Where it is read."""
    action: str
    """Where the form goes."""


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One of two columns."""

    name: Literal["left", "right"]
    run_name: str
    """Of its job; empty where there is nothing on this side."""
    reader: Reader | None
    """None: none was sent."""


class TrajectoriesBesidePage(Page, frozen=True, kw_only=True):
    template = "trajectories_beside.html"
    sides: list[Side]
    """Left, then right."""
    page: int
    """Of both."""
    pages: int
    """Of the longer one."""
    previous: str | None
    """Address of the page before."""
    next: str | None
    """Address of the page behind."""
    swapped: str
    """Address with the sides exchanged."""
