"""The shares that are kept."""

from __future__ import annotations

import msgspec

from application.queries.share import RunShare
from entrypoints.http.console.contexts.page import Page


class SharesPage(Page, frozen=True, kw_only=True):
    template = "shares.html"
    shares: list[RunShare]
    """Newest first, at most 200."""
    count: int
    """All that meet the choice."""
    job: SharedJob | None
    """The job whose shares are shown alone; None: of all that one may change."""
    everybody: bool
    """Shares of everybody's jobs are shown, not of one's own alone."""
    new_url: str | None
    """The link of a share that was just made, on the answer to that alone; None everywhere else."""
    said: str
    """What was just done; empty where nothing was."""
    problem: str
    """Why something was not done; empty where nothing failed."""


class SharedJob(msgspec.Struct, frozen=True, kw_only=True):
    """The one job that was chosen."""

    run_id: str
    name: str
    may_change: bool
    """Whether the user may make shares and take them back."""
