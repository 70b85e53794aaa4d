"""The public page of a shared run."""

from __future__ import annotations

from application.queries.public_run import PublicRun
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
    read_at: str
    """When this was put together, ISO-8601: the page does not follow the job."""
    expires_at: str | None
    """When the link ends; None: when it is taken back."""
    series_address: str
    """Address of the list of series."""
    data_address: str
    """Address of the charts' points."""
