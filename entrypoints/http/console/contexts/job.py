"""What all pages of one job share: who it is, how it stands, what was heard of it."""

from __future__ import annotations

from typing import Literal

import msgspec

from application.queries.run import Run
from entrypoints.http.console.contexts.page import Page

Tab = Literal["charts", "logs", "validation"]


class Signal(msgspec.Struct, frozen=True, kw_only=True):
    """One of the first things heard of an execution attempt. Each comes by a path of its own."""

    name: str
    at: str | None
    """ISO-8601, server's clock; None: not yet."""
    check: str
    """What to look at when it is missing."""
    help: str
    """Anchor in the help page."""


class JobHead(msgspec.Struct, frozen=True, kw_only=True):
    """The top of a job's pages."""

    run: Run
    tab: Tab
    """The page it stands on."""
    attempt_query: str
    """`?attempt=N` where one attempt was chosen, else empty: kept when the tab changes."""
    silent_since: str | None
    """When it was last heard, where that is over a minute ago and it should be running; display only, no status."""
    warnings: list[str]
    """What keeps, or will keep, reports from arriving."""
    signals: list[Signal]
    """Of the latest attempt; empty where none was opened."""
    may_change: bool
    """Whether the user may share the job."""


class JobHeadPart(Page, frozen=True, kw_only=True):
    """The head alone, to renew it."""

    template = "job_head_part.html"
    head: JobHead
    """The top of the page."""


class JobPage(Page, frozen=True, kw_only=True):
    """What charts, logs and validation share."""

    head: JobHead
    """The top of the page."""
    live: str
    """Address of the live stream, going on behind what this page shows; empty where nothing can follow."""
    attempt: int | None
    """The execution attempt that was chosen; None: the surviving lineage."""
