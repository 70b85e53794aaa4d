"""Whoever is signed in, to themselves: password, sessions, personal tokens."""

from __future__ import annotations

import msgspec

from entrypoints.http.console.contexts.page import Page


class OpenSession(msgspec.Struct, frozen=True, kw_only=True):
    """One browser that is signed in. Times are ISO-8601."""

    id: str
    """Public half; it opens nothing."""
    opened_at: str
    """ISO-8601."""
    ends_at: str
    """ISO-8601."""
    this: bool
    """The one that asks."""


class PersonalToken(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a token: never the token."""

    id: str
    """Public half: the token begins with `tp_pat_` and this."""
    name: str
    made_at: str
    """ISO-8601."""
    expires_at: str | None
    """None: good until it is taken back."""
    expired: bool


class AccountPage(Page, frozen=True, kw_only=True):
    template = "account.html"
    permissions: list[str]
    """What the account may beyond reading numbers, in order."""
    sessions: list[OpenSession]
    """Newest first."""
    tokens: list[PersonalToken]
    """Newest first, those that have expired too."""
    new_token: str | None
    """A token that was just made, on the answer to that alone; None everywhere else."""
    said: str
    """What was just done; empty where nothing was."""
    problem: str
    """Why something was not done; empty where nothing failed."""
