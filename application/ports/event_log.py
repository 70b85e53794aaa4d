"""The log: every accepted fact, in one order, chained by hash."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum
from typing import Protocol

import msgspec

from domain.errors import DomainFault
from domain.ids import Micros, Position, RunId, StreamId
from domain.placement import Placement


class Fate(Enum):
    """What became of one reported event."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    SET_ASIDE = "set_aside"


class Candidate(msgspec.Struct, frozen=True):
    """An event ready to be written: encoded and digested outside the critical section."""

    placement: Placement
    tag: str
    payload: bytes
    digest: bytes
    """SHA-256 of `payload`."""


class Placed(msgspec.Struct, frozen=True):
    """Where one candidate ended up.

    For a duplicate, where the event it repeats stands; for a losing report, where it is on record.
    """

    fate: Fate
    position: Position
    hash: bytes
    """Chain hash at `position`, 32 bytes."""


class RecordedEvent(msgspec.Struct, frozen=True):
    """One event of the log."""

    position: Position
    recorded_at: Micros
    """Server's clock. Order is by position alone."""
    stream: StreamId
    version: int
    tag: str
    run: RunId
    digest: bytes
    """SHA-256 of the payload as it was appended."""
    hash: bytes
    """Chain hash (see `application/event_log/hash_chain.py`)."""
    payload: bytes | None
    """None where it was erased."""


class Head(msgspec.Struct, frozen=True):
    """The end of the log: 0 and 32 zero bytes where it is empty."""

    position: Position
    hash: bytes


class EventLog(Protocol):
    """Appends whole requests in one critical section for all processes; reads by position.

    Every adapter: positions are 1, 2, 3, … in commit order without gaps; a reader that has seen position p
    never sees a later event with a position <= p; (stream, version) is unique.
    """

    def append(self, requests: Sequence[Sequence[Candidate]]) -> list[tuple[Placed, ...] | DomainFault]:
        """One transaction for all `requests`; each of them whole or not at all.

        Answers one entry a request: a `Placed` for each of its candidates, or the `DomainFault` that refused it
        (`IdentityTaken`, `StreamMovedOn`), which leaves no trace and does not concern the others. Returns
        after COMMIT. Raises `TryAgain` where the store is away; then nothing was stored, or everything was and
        sending it again finds duplicates.
        """
        ...

    def read(
        self,
        after: Position,
        *,
        limit: int = 64,
        max_bytes: int = 4_000_000,
        until: Position | None = None,
        run: RunId | None = None,
        tags: Collection[str] | None = None,
    ) -> list[RecordedEvent]:
        """Events behind `after` in order, up to and including `until`.

        At most `limit`, and no more than `max_bytes` of payload beyond the first.
        """
        ...

    def read_back(
        self,
        before: Position,
        *,
        limit: int = 64,
        max_bytes: int = 4_000_000,
        run: RunId | None = None,
        tags: Collection[str] | None = None,
    ) -> list[RecordedEvent]:
        """Events before `before`, the latest first; bounded as `read` is."""
        ...

    def at(self, positions: Sequence[Position]) -> list[RecordedEvent]:
        """The events at `positions`, in order; those that do not exist are left out."""
        ...

    def stream(self, stream: StreamId, after_version: int = 0) -> list[RecordedEvent]:
        """The events of one stream behind `after_version`, in order of version."""
        ...

    def head(self) -> Head:
        """The last position and its chain hash."""
        ...
