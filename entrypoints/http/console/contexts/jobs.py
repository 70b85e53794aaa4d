"""The list of jobs."""

from __future__ import annotations

import msgspec

from application.projections.run import RunStatus
from application.queries.run import RunItem
from entrypoints.http.console.contexts.page import Page


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One row."""

    run: RunItem
    silent: bool
    """It should be running and was not heard for a minute. Shown beside the status, which it never changes."""


class JobsPage(Page, frozen=True, kw_only=True):
    template = "jobs.html"
    jobs: list[Job]
    """Newest first."""
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
    filtered: bool
    """Any of the four is chosen."""
    here: str
    """Address of this page, to read it again."""
    first_page: str | None
    """Address of the first page; None on it."""
    next_page: str | None
    """Address of the next page; None on the last."""
