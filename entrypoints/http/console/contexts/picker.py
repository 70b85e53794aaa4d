"""A search for a job to choose."""

from __future__ import annotations

import msgspec

from application.queries.run import RunItem


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    run: RunItem
    address: str
    """Where the choice leads."""


class Picker(msgspec.Struct, frozen=True, kw_only=True):
    """A search field, and the jobs that it found."""

    action: str
    """Path of the page it stands on."""
    kept: list[tuple[str, str]]
    """The rest of that page's question: names and values that the search sends along."""
    field: str
    """Name of the search field."""
    label: str
    q: str
    """What was searched for; empty: the newest jobs are offered."""
    choices: list[Choice]
    """Newest first."""
    more: bool
    """More were found than are offered."""
