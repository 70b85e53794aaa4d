"""Recomputes the chain of hashes, event by event, and says where it first does not hold."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import msgspec

from application.hash_chain import GENESIS, chained
from application.ports.event_log import Head, RecordedEvent
from domain.ids import Position


class ChainFault(msgspec.Struct, frozen=True):
    """The first place where a log is not what it was."""

    position: Position
    what: str
    """A sentence for people."""


class Checked(msgspec.Struct, frozen=True):
    """How far a check came, and what it found."""

    head: Head
    """The last event that is sound, or the start."""
    bodies: int
    """Bodies that were there and hashed to their digest."""
    erased: int
    """Events whose body was erased: their digest is in the chain."""
    fault: ChainFault | None
    """None: everything is as it was appended."""


class _Owner(msgspec.Struct):
    run: str


_owner = msgspec.msgpack.Decoder(_Owner)


class ChainCheck:
    """Fed with all events of a log, in order, from position 1."""

    def __init__(self, published: Iterable[Head] = ()) -> None:
        """`published` are heads seen elsewhere; what was rewritten as a whole shows only against them."""
        self._published: Mapping[Position, bytes] = {one.position: one.hash for one in published}
        self._position = Position(0)
        self._hash = GENESIS
        self._bodies = 0
        self._erased = 0
        self._fault: ChainFault | None = None

    def feed(self, events: Iterable[RecordedEvent]) -> bool:
        """Whether they all hold; goes no further than the first that does not."""
        for event in events:
            if self._fault is None:
                self._check(event)
        return self._fault is None

    def end(self, head: Head | None = None) -> Checked:
        """What was found, once everything was fed. `head` is the end that the log itself claims."""
        ends = dict(self._published)
        if head is not None:
            ends[head.position] = head.hash
        missing = min((position for position in ends if position > self._position), default=None)
        if self._fault is None and missing is not None:
            self._found(self._position + 1, f"the log ends before it, but a head at {missing} was published")
        if self._fault is None and head is not None and head != Head(self._position, self._hash):
            self._found(self._position, "the log's own head is another one")
        return Checked(Head(self._position, self._hash), self._bodies, self._erased, self._fault)

    def _check(self, event: RecordedEvent) -> None:
        position = Position(self._position + 1)
        if event.position != position:
            self._found(position, f"this event is missing; the next one there is {event.position}")
            return
        if event.payload is not None and hashlib.sha256(event.payload).digest() != event.digest:
            self._found(position, "its body was changed")
            return
        expected = chained(
            self._hash, position, event.recorded_at, event.stream, event.version, event.tag, event.digest
        )
        if expected != event.hash:
            self._found(
                position, "its hash does not follow from the one before: an event was changed, moved or removed"
            )
        elif self._published.get(position, expected) != expected:
            self._found(position, "another hash was published for it: the log was rewritten")
        elif event.payload is not None and not _belongs(event.payload, event.run):
            self._found(position, "it is filed under another run than its body names")
        else:
            self._position, self._hash = position, expected
            self._bodies += event.payload is not None
            self._erased += event.payload is None

    def _found(self, position: int, what: str) -> None:
        self._fault = ChainFault(Position(position), what)


def _belongs(payload: bytes, run: str) -> bool:
    """Whether the body names `run`. Where an event is filed is not chained, but its body is."""
    try:
        return _owner.decode(payload).run == run
    except msgspec.MsgspecError:
        return False
