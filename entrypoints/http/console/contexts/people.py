"""Accounts, as administrators see them."""

from __future__ import annotations

import msgspec

from application.ports.accounts import Role
from entrypoints.http.console.contexts.page import Page


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """One account."""

    name: str
    role: Role
    content: bool
    """Granted beside the role, as the next."""
    audit: bool
    disabled: bool
    signed_in_at: str | None
    """ISO-8601; None: never, or before this was noted."""
    sessions: int
    """Open now."""
    tokens: int
    """Personal ones that are good now."""


class NewPassword(msgspec.Struct, frozen=True, kw_only=True):
    """A random password that was just made."""

    name: str
    """Whose."""
    password: str


class PeoplePage(Page, frozen=True, kw_only=True):
    template = "people.html"
    people: list[Person]
    """By name."""
    roles: tuple[Role, ...]
    """To choose from, the least first."""
    new_password: NewPassword | None
    """On the answer to making it alone; None everywhere else."""
    said: str
    """What was just done; empty where nothing was."""
    problem: str
    """Why something was not done; empty where nothing failed."""
