"""Work that one process of an installation does at a time."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol


class Sole(Protocol):
    """Names pieces of work, and lets one process at a time do each."""

    def alone(self, work: str) -> AbstractContextManager[bool]:
        """Whether this process may do `work` now, until the context ends; False where another is at it.

        What a process held is free once it has ended, however it ended. Raises `TryAgain` where the database is away.
        """
        ...
