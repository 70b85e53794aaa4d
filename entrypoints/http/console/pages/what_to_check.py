"""`/help`: what the signals of a job mean, and what to check when one is missing."""

from __future__ import annotations

from litestar import Response, get

from entrypoints.http.console.console import AsSignedIn, Using, user_of
from entrypoints.http.console.contexts.page import HelpPage
from entrypoints.http.console.rendering import rendered


@get("/help", include_in_schema=False, sync_to_thread=True)
def what_to_check(request: AsSignedIn, console: Using) -> Response[bytes]:
    """The page."""
    return rendered(HelpPage(title="What to check", user=user_of(request), ingest_address=console.ingest_address))


ROUTES = (what_to_check,)
