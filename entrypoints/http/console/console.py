"""What pages are made from."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import SkipValidation

from application.ports.views import Reading, Views
from application.queries.moment import judged_at
from domain.errors import NotAllowed
from domain.ids import Micros, Position
from domain.run import named_run
from entrypoints.http.console.contexts.page import User
from entrypoints.http.console.look import Look
from entrypoints.http.signed_in import SignedIn

AsSignedIn = Request[SignedIn, Any, Any]
FORM_BYTES = 8_192
"""Most that a form of a page may hold, unless it says otherwise."""


class Console:
    """The views, and what the installation is told about itself."""

    def __init__(self, reading: Reading, ingest_address: str) -> None:
        self.reading = reading
        self.ingest_address = ingest_address
        """What jobs report to."""

    @contextmanager
    def views(self, look: Look, *beside: str) -> Iterator[Views]:
        """The views of one run, and of others beside it, as they are or as they were.

        Raises `UnknownRun` for what cannot be a run's id.
        """
        run, *others = map(named_run, (look.run_id, *beside))
        opened = self.reading.now() if look.as_of is None else self.reading.at(run, Position(look.as_of), *others)
        with opened as views:
            yield views


Using = NamedDependency[SkipValidation[Console]]


def moment_of(views: Views, look: Look) -> Micros:
    """The time by which silence and expiry are judged: now, or when the last event that counts was recorded."""
    return judged_at(views, past=look.as_of is not None)


def user_of(request: AsSignedIn) -> User:
    """As pages show it."""
    account = request.user.account
    return User(name=account.name, role=account.role, csrf=request.user.csrf)


def here(request: AsSignedIn) -> str:
    """The address of this page."""
    query = request.url.query
    return request.url.path + (f"?{query}" if query else "")


def require_csrf(request: AsSignedIn, given: str) -> None:
    """For a form of a page. Raises `NotAllowed` where it does not repeat the session's token."""
    if not hmac.compare_digest(request.user.csrf.encode(), given.encode()):
        raise NotAllowed("This page is out of date: load it again, then repeat what you did.")


def go(path: str) -> Response[bytes]:
    """To another page of the console, after a form."""
    return Response(b"", status_code=303, headers={"Location": path, "Cache-Control": "no-store"})
