"""The public page of a shared run."""

from __future__ import annotations

import msgspec

from application.queries.run import Run
from application.queries.series import Series
from entrypoints.http.console.contexts.page import Page
from entrypoints.http.console.contexts.validation import RoundView


class SharePage(Page, frozen=True, kw_only=True):
    template = "share.html"
    run: PublicRun
    """What everybody may know of it."""
    rounds: list[RoundView]
    """The latest to begin first, at most 100."""
    series: list[Series]
    """By key, at most 1,000."""
    series_count: int
    """All that the run has opened."""
    series_address: str
    """Address of the list of series."""
    data_address: str
    """Address of the charts' points."""


class PublicRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run without whose it is, what it noted, and where it ran."""

    name: str
    status: str
    created_at: str
    started_at: str | None
    finished_at: str | None
    attempts: list[PublicAttempt]


class PublicAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """One execution attempt."""

    attempt: int
    status: str
    started_at: str | None
    finished_at: str | None


def public_run(run: Run) -> PublicRun:
    """What of a run is shown to everybody who has the link."""
    return PublicRun(
        name=run.name,
        status=run.status,
        created_at=run.created_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
        attempts=[
            PublicAttempt(
                attempt=one.attempt, status=one.status, started_at=one.started_at, finished_at=one.finished_at
            )
            for one in run.attempts
        ],
    )
