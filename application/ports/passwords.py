"""How passwords are kept."""

from __future__ import annotations

from typing import Protocol


class Passwords(Protocol):
    """Slow on purpose; not for the event loop."""

    def hash(self, password: str) -> str:
        """What to keep: salted, different each time."""
        ...

    def matches(self, password: str, kept_hash: str | None) -> bool:
        """Whether `password` is the one whose hash was kept.

        None (there is no such account) takes as long as any and is False.
        """
        ...
