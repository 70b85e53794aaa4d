"""Every event of a job in order, and the job as it was."""

from __future__ import annotations

import msgspec

from application.queries.history import Extent, HistoryEvent, HistoryItem
from application.queries.round import Round
from application.queries.run import Run
from entrypoints.http.console.contexts.job import JobPage
from entrypoints.http.console.contexts.page import Page
from entrypoints.http.console.look import Look


class HistoryPage(JobPage, frozen=True, kw_only=True):
    template = "history.html"
    events: list[HistoryItem]
    """In order of the log, or the latest first."""
    ascending: bool
    """In order of the log."""
    extent: Extent
    """How far the history reaches."""
    types: tuple[str, ...]
    """To choose from."""
    type: str
    """Shown alone; empty: all."""
    first_page: str
    """Address of the events from the first on."""
    latest_page: str
    """Address of the latest events, the latest first."""
    next_page: str | None
    """Address of what follows in the same direction; None at the end."""
    past: str
    """Address of the part that tells how the job was at a position."""


class Then(msgspec.Struct, frozen=True, kw_only=True):
    """One count, then and now."""

    name: str
    then: str
    now: str


class PastPart(Page, frozen=True, kw_only=True):
    """The job as it was, in short."""

    template = "history_past_part.html"
    look: Look
    """Makes addresses of the pages as they were."""
    at: int
    """The position that was asked for."""
    event: HistoryItem | None
    """The last event of the job that counted; None where the job did not exist yet."""
    run: Run | None
    """As it was; None where it did not exist yet."""
    rounds: list[Round]
    """The latest ten to begin, as they were counted then."""
    counts: list[Then]
    """What the job held then, beside what it holds now."""
    earlier: int | None
    """Position of the event before."""
    later: int | None
    """Position of the event behind; None where it was the last."""


class EventPart(Page, frozen=True, kw_only=True):
    """One event whole."""

    template = "history_event_part.html"
    event: HistoryEvent
    """With its place in the chain."""
    body: str
    """As JSON; its beginning where it is long; empty where it may not be shown or was erased."""
    left_out: int
    """Characters of it that are not shown."""
    withheld: bool
    """It holds validation text, and the user lacks the content permission."""
    json: str
    """Address of the whole event as JSON."""
