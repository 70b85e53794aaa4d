"""Bodies too large for the log: trajectories, artifacts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import msgspec


class StoredObject(msgspec.Struct, frozen=True):
    key: str
    size_bytes: int
    stored_at: float
    """Seconds since the epoch, the store's clock."""
    sha256: str | None = None
    """Of the body (hex), as the store checked it when it came in; None where it does not say. Lists never say."""


class ObjectStore(Protocol):
    """Keys are made by the server, `[a-z0-9/_.-]+`, never from client text.

    Every method raises `TryAgain` where the store is away.
    """

    def put(self, key: str, body: bytes, sha256: str) -> None:
        """Stores the body whole and durably, or not at all. Putting the same bytes again changes nothing.

        Raises ValueError where the body is not the one with this digest (hex).
        """
        ...

    def get(self, key: str) -> bytes | None:
        """The body, or None where there is none."""
        ...

    def read(self, key: str) -> Iterator[bytes] | None:
        """The body in pieces of some 64 KiB, however large it is, or None where there is none."""
        ...

    def delete(self, key: str) -> None:
        """Removes the body; nothing happens where there is none."""
        ...

    def stat(self, key: str) -> StoredObject | None:
        """What is known of the body without reading it, or None. A body whose key ends in its digest says it."""
        ...

    def keys(self, prefix: str) -> Iterator[StoredObject]:
        """Everything whose key begins with `prefix`, each once, in any order."""
        ...

    def tidy(self, before: float) -> int:
        """Removes what was begun before `before` (seconds since the epoch) and never finished; how many it were."""
        ...
