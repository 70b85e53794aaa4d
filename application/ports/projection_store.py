"""The versions of projections: made, filled, compared, promoted and removed while the log goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol

import msgspec

from domain.ids import Position

Progress = Callable[[Position, Position], None]
"""(how far it is, how far it has to go)."""


class ProjectionVersion(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    version: int
    code_version: int
    """Of the code that fills it. Other code leaves it alone."""
    position: Position
    """What it has taken in."""
    serving: bool
    """Whether this code's questions are answered from it."""
    faults: int
    """Runs it stopped at."""
    size_bytes: int
    """Tables and indexes."""


class Contents(Protocol):
    """What two versions hold at one moment at which they have taken in the same events."""

    position: Position

    def left(self) -> Iterator[tuple[str, bytes]]:
        """(name, content) of everything, in code-point order of the names, in constant memory."""
        ...

    def right(self) -> Iterator[tuple[str, bytes]]:
        """As `left`."""
        ...


class ProjectionStore(Protocol):
    """Every method raises `UnknownThing` for what is not there, `TryAgain` where the store is away."""

    def versions(self, name: str | None = None) -> list[ProjectionVersion]:
        """All versions, of one projection or of all, by name and version."""
        ...

    def add(self, name: str) -> int:
        """Makes an empty version with the next free number; the projector fills it, as does `fill`."""
        ...

    def fill(self, name: str, version: int, progress: Progress) -> Position:
        """Returns when the version has reached the end of the log; where it is then.

        Fills it here, or waits for the process that drives it. Raises `TryAgain` where that one stands still.
        """
        ...

    def contents(self, name: str, left: int, right: int) -> AbstractContextManager[Contents]:
        """Both versions at one moment and one position, waiting for it at most 30 s, then `TryAgain`."""
        ...

    def promote(self, name: str, version: int) -> None:
        """Lets the version serve.

        Raises `Refused` where it has taken in less than the one that serves, or was made by other code.
        """
        ...

    def drop(self, name: str, version: int) -> None:
        """Removes the version and its tables. Raises `Refused` where it serves."""
        ...
