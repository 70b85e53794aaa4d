"""Recomputes the chain of hashes, event by event, and says where it first does not hold."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import msgspec

from application.event_log.hash_chain import GENESIS, chained
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


_sha256 = hashlib.sha256
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
        if self._fault is not None:
            return False
        position, previous, published = self._position, self._hash, self._published
        bodies = erased = 0
        # Millions pass here: a loop over locals, with what is wrong found out only where something is.
        for event in events:
            place = Position(position + 1)
            expected = chained(previous, place, event.recorded_at, event.stream, event.version, event.tag, event.digest)
            payload = event.payload
            if (
                event.position != place
                or event.hash != expected
                or (place in published and published[place] != expected)
                or (payload is not None and not _holds(payload, event))
            ):
                self._fault = ChainFault(place, _what(event, place, expected))
                break
            position, previous = place, expected
            bodies += payload is not None
            erased += payload is None
        self._position, self._hash = position, previous
        self._bodies += bodies
        self._erased += erased
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

    def _found(self, position: int, what: str) -> None:
        self._fault = ChainFault(Position(position), what)


def _holds(payload: bytes, event: RecordedEvent) -> bool:
    """Whether the body is the one that was digested, and names the run that the event is filed under.

    Where an event is filed is not chained, but its body is.
    """
    try:
        return _sha256(payload).digest() == event.digest and _owner.decode(payload).run == event.run
    except msgspec.MsgspecError:
        return False


def _what(event: RecordedEvent, position: int, expected: bytes) -> str:
    """What is wrong with the event that should be at `position`."""
    if event.position != position:
        return f"this event is missing; the next one there is {event.position}"
    if event.payload is not None and _sha256(event.payload).digest() != event.digest:
        return "its body was changed"
    if event.hash != expected:
        return "its hash does not follow from the one before: an event was changed, moved or removed"
    if event.payload is not None and not _holds(event.payload, event):
        return "it is filed under another run than its body names"
    return "another hash was published for it: the log was rewritten"
