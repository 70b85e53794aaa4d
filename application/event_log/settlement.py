"""What a group of requests adds to the log, decided while nobody else may write.

Every adapter of the log goes through the same three steps, inside its critical section: `settle` the requests
against what stands, tell which set-aside reports are `on_record` already, `number` what is new. The
rules that placed the events say what a taken place means (`domain/placement.py`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence

import msgspec

from application.event_log.hash_chain import chained
from application.ports.event_log import Candidate, Fate, Head, Placed
from domain.errors import DomainFault, IdentityTaken, StreamMovedOn
from domain.events import Event, decode, encode, tag_of
from domain.ids import Micros, Position, StreamId
from domain.placement import Placement, Verdict
from domain.set_aside import set_aside

Place = tuple[StreamId, int]
"""Stream and version: what the log holds once."""


def as_candidate(placement: Placement) -> Candidate:
    """The event encoded and digested: the expensive part, done outside the critical section."""
    payload = encode(placement.event)
    return Candidate(placement, tag_of(placement.event), payload, hashlib.sha256(payload).digest())


class Standing(msgspec.Struct, frozen=True):
    """An event of the log that holds a place somebody asks for."""

    version: int
    tag: str
    digest: bytes
    position: Position
    hash: bytes
    payload: bytes | None
    """None where it was erased, or not read because nobody needs to compare it."""

    def event(self) -> Event | None:
        """What it says; None where that is not known."""
        return None if self.payload is None else decode(self.tag, self.payload)


class Addition(msgspec.Struct):
    """An event of the group that gets a place of its own. Position and hash are known when it is numbered."""

    candidate: Candidate
    version: int
    position: Position = Position(0)
    hash: bytes = b""

    @property
    def digest(self) -> bytes:
        return self.candidate.digest

    @property
    def place(self) -> Place:
        return self.candidate.placement.stream, self.version

    def event(self) -> Event | None:
        return self.candidate.placement.event


Holder = Standing | Addition
_Slot = tuple[Fate, Holder]


class Settlement:
    """One group of requests on its way into the log."""

    def __init__(self, requests: Sequence[Sequence[Candidate]]) -> None:
        self._requests = requests
        self._outcomes: list[list[_Slot] | DomainFault] = []
        self._additions: list[Addition] = []
        self._places: dict[Place, Addition] = {}
        self._last: dict[StreamId, Addition] = {}
        self._set_aside: dict[Place, Addition] = {}
        self.places: list[tuple[StreamId, int, bytes]] = []
        """To look up before `settle`: stream, version, and the digest of who asks."""
        self.streams: list[tuple[StreamId, bytes]] = []
        """To look up the latest of: stream and digest; empty where the rule does not look at contents."""
        for request in requests:
            for candidate in request:
                self._ask(candidate)

    def settle(
        self,
        holders: Mapping[Place, Standing],
        latest: Mapping[StreamId, Standing],
        find_latest: Callable[[StreamId], Standing | None],
    ) -> list[Place]:
        """Decides each request, whole or not at all, in the order they came.

        `holders` are those of `places` that are taken, `latest` those of `streams` that exist; `find_latest` is asked
        for other streams. Answers the places of reports to set aside, for `on_record`.
        """
        self._holders, self._latest, self._find_latest = holders, latest, find_latest
        for request in self._requests:
            mark = len(self._additions)
            try:
                self._outcomes.append([self._settle(candidate) for candidate in request])
            except (IdentityTaken, StreamMovedOn) as refusal:
                self._outcomes.append(refusal)
                self._forget_from(mark)
        return list(self._set_aside)

    def on_record(self, known: Mapping[Place, Standing]) -> None:
        """Takes out the set-aside reports that are on record already."""
        for place, standing in known.items():
            addition = self._set_aside[place]
            addition.position, addition.hash = standing.position, standing.hash
        self._additions = [one for one in self._additions if not one.position]

    def number(self, head: Head, recorded_at: Micros) -> tuple[list[Addition], Head]:
        """Gives the new events their positions and hashes behind `head`; them, and the new head."""
        position, previous = head.position, head.hash
        for one in self._additions:
            position = Position(position + 1)
            candidate = one.candidate
            stream = candidate.placement.stream
            previous = chained(previous, position, recorded_at, stream, one.version, candidate.tag, candidate.digest)
            one.position, one.hash = position, previous
        return self._additions, Head(position, previous)

    def answers(self) -> list[tuple[Placed, ...] | DomainFault]:
        """What `EventLog.append` answers, once everything is committed."""
        return [
            outcome
            if isinstance(outcome, DomainFault)
            else tuple(Placed(fate, holder.position, holder.hash) for fate, holder in outcome)
            for outcome in self._outcomes
        ]

    def _ask(self, candidate: Candidate) -> None:
        placement = candidate.placement
        if placement.version is not None:
            self.places.append((placement.stream, placement.version, candidate.digest))
        elif placement.settle(placement.event, placement.event) is Verdict.DUPLICATE:
            self.streams.append((placement.stream, candidate.digest))
        else:
            # A rule to which even equal events are no duplicates does not look at what they say.
            self.streams.append((placement.stream, b""))

    def _settle(self, candidate: Candidate) -> _Slot:
        placement = candidate.placement
        version = placement.version
        holder = self._latest_of(placement.stream) if version is None else self._holder_of((placement.stream, version))
        if holder is None:
            return Fate.ACCEPTED, self._add(candidate, 1 if version is None else version)
        match _verdict(candidate, holder):
            case Verdict.DUPLICATE:
                return Fate.DUPLICATE, holder
            case Verdict.SET_ASIDE:
                return Fate.SET_ASIDE, self._put_on_record(placement, holder.version)
            case Verdict.NEXT_VERSION:
                latest = self._latest_of(placement.stream) or holder
                return Fate.ACCEPTED, self._add(candidate, latest.version + 1)
            case Verdict.TAKEN:
                raise IdentityTaken
            case Verdict.MOVED_ON:
                raise StreamMovedOn

    def _holder_of(self, place: Place) -> Holder | None:
        return self._places.get(place) or self._holders.get(place)

    def _latest_of(self, stream: StreamId) -> Holder | None:
        added = self._last.get(stream)
        standing = self._latest[stream] if stream in self._latest else self._find_latest(stream)
        if added is None or (standing is not None and standing.version > added.version):
            return standing
        return added

    def _add(self, candidate: Candidate, version: int) -> Addition:
        addition = Addition(candidate, version)
        self._additions.append(addition)
        self._places[addition.place] = addition
        self._remember_last(addition)
        return addition

    def _put_on_record(self, losing: Placement, version: int) -> Addition:
        record = as_candidate(set_aside(losing, version))
        place = record.placement.stream, 1
        if place not in self._set_aside:
            self._set_aside[place] = self._add(record, 1)
        return self._set_aside[place]

    def _remember_last(self, addition: Addition) -> None:
        stream = addition.candidate.placement.stream
        last = self._last.get(stream)
        if last is None or addition.version > last.version:
            self._last[stream] = addition

    def _forget_from(self, mark: int) -> None:
        """Takes back what a refused request added."""
        for one in self._additions[mark:]:
            del self._places[one.place]
            self._set_aside.pop(one.place, None)
        del self._additions[mark:]
        self._last.clear()
        for one in self._additions:
            self._remember_last(one)


def _verdict(candidate: Candidate, holder: Holder) -> Verdict:
    placement = candidate.placement
    if holder.digest == candidate.digest:
        return placement.settle(placement.event, placement.event)
    standing = holder.event()
    if standing is not None:
        return placement.settle(standing, placement.event)
    # The standing body was erased, or the rule does not look at bodies: the verdict is the one for equal events, so
    # that a retry never brings an erased body back; only a next version, whose place is free, may be appended.
    return Verdict.NEXT_VERSION if placement.version is None else placement.settle(placement.event, placement.event)
