"""What every page has."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from application.ports.accounts import Role


class User(msgspec.Struct, frozen=True, kw_only=True):
    """Who looks at the page."""

    name: str
    role: Role
    csrf: str
    """What the session's writes must repeat."""


class Page(msgspec.Struct, frozen=True, kw_only=True):
    template: ClassVar[str]
    """File in `templates/`."""
    title: str
    """First words of the browser's tab."""
    user: User | None = None
    """None on pages that are open to everybody."""


class SignInPage(Page, frozen=True, kw_only=True):
    template = "sign_in.html"
    next: str
    """Local path to go to afterwards."""
    name: str
    """As it was typed the last time; empty at first."""
    problem: str
    """Why the last try led nowhere; empty at first. Never says which of name and password was wrong."""


class ProblemPage(Page, frozen=True, kw_only=True):
    template = "problem.html"
    status: int
    """HTTP status of the answer."""
    detail: str
    """What happened and what to do."""


class HelpPage(Page, frozen=True, kw_only=True):
    template = "help.html"
    ingest_address: str
    """What jobs report to, as it is handed out with their tokens."""
