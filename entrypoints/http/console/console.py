"""What pages are made from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from litestar import Request
from litestar.di import NamedDependency
from litestar.params import SkipValidation
from tuneplane.contract import INT64_MAX

from application.ports.views import Reading, Views
from domain.errors import Refused
from domain.run import named_run
from entrypoints.http.console.contexts.page import User
from entrypoints.http.signed_in import SignedIn

AsSignedIn = Request[SignedIn, Any, Any]


class Console:
    """The views, and what the installation is told about itself."""

    def __init__(self, reading: Reading, ingest_address: str) -> None:
        self.reading = reading
        self.ingest_address = ingest_address
        """What jobs report to."""

    @contextmanager
    def views(self, run: str) -> Iterator[Views]:
        """The views of one run. Raises `UnknownRun` for what cannot be a run's id."""
        named_run(run)
        with self.reading.now() as views:
            yield views


Using = NamedDependency[SkipValidation[Console]]


def user_of(request: AsSignedIn) -> User:
    """As pages show it."""
    return User(name=request.user.account.name, csrf=request.user.csrf)


def attempt_of(text: str) -> int | None:
    """The attempt in an address; empty is the surviving lineage. Raises `Refused`."""
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or int(text[:20]) > INT64_MAX:
        raise Refused.at("attempt", "must be the number of an execution attempt, from 0")
    return int(text)


def here(request: AsSignedIn) -> str:
    """The address of this page."""
    query = request.url.query
    return request.url.path + (f"?{query}" if query else "")
