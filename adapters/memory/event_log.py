"""The log in memory: for tests, and for views as they were."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from operator import attrgetter

from application.clock import Clock, now
from application.event_log.hash_chain import GENESIS
from application.event_log.settlement import Addition, Place, Settlement, Standing
from application.ports.event_log import Candidate, Head, Placed, RecordedEvent
from domain.errors import DomainFault, IdentityTaken
from domain.ids import Micros, Position, RunId, StreamId


class MemoryEventLog:
    """Keeps every event in a list; its lock is the critical section."""

    def __init__(self, clock: Clock = now) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._events: list[RecordedEvent] = []
        self._places: dict[Place, RecordedEvent] = {}
        self._streams: defaultdict[StreamId, list[RecordedEvent]] = defaultdict(list)
        self._runs: defaultdict[RunId, list[RecordedEvent]] = defaultdict(list)

    def append(self, requests: Sequence[Sequence[Candidate]]) -> list[tuple[Placed, ...] | DomainFault]:
        settlement = Settlement(requests)
        with self._lock:
            holders = self._holders((stream, version) for stream, version, _ in settlement.places)
            set_aside = settlement.settle(holders, {}, self._latest)
            settlement.on_record(self._holders(set_aside))
            now = self._clock()
            additions, _ = settlement.number(self._end(), now)
            for one in additions:
                self._keep(_recorded(one, now))
        return settlement.answers()

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
        with self._lock:
            if run is None:
                source = self._events[max(after, 0) : None if until is None else max(until, 0)]
            else:
                source = list(self._runs.get(run, ()))
        wanted = (one for one in source if one.position > after and (until is None or one.position <= until))
        return _bounded(wanted, tags, limit, max_bytes)

    def read_back(
        self,
        before: Position,
        *,
        limit: int = 64,
        max_bytes: int = 4_000_000,
        run: RunId | None = None,
        tags: Collection[str] | None = None,
    ) -> list[RecordedEvent]:
        with self._lock:
            source = list(self._events if run is None else self._runs.get(run, ()))
        return _bounded((one for one in reversed(source) if one.position < before), tags, limit, max_bytes)

    def at(self, positions: Sequence[Position]) -> list[RecordedEvent]:
        with self._lock:
            return [self._events[one - 1] for one in sorted(set(positions)) if 0 < one <= len(self._events)]

    def stream(self, stream: StreamId, after_version: int = 0) -> list[RecordedEvent]:
        with self._lock:
            events = list(self._streams.get(stream, ()))
        return sorted((one for one in events if one.version > after_version), key=attrgetter("version"))

    def head(self) -> Head:
        with self._lock:
            return self._end()

    def restore(self, events: Iterable[RecordedEvent]) -> Head:
        loaded = list(events)
        with self._lock:
            if self._events:
                raise IdentityTaken("The log is not empty; only an empty one can be restored.")
            for event in loaded:
                self._keep(event)
            return self._end()

    def _end(self) -> Head:
        if not self._events:
            return Head(Position(0), GENESIS)
        return Head(self._events[-1].position, self._events[-1].hash)

    def _keep(self, event: RecordedEvent) -> None:
        self._events.append(event)
        self._places[event.stream, event.version] = event
        self._streams[event.stream].append(event)
        self._runs[event.run].append(event)

    def _holders(self, places: Iterable[Place]) -> dict[Place, Standing]:
        return {place: _standing(self._places[place]) for place in places if place in self._places}

    def _latest(self, stream: StreamId) -> Standing | None:
        events = self._streams.get(stream)
        return _standing(max(events, key=attrgetter("version"))) if events else None


def _standing(event: RecordedEvent) -> Standing:
    return Standing(event.version, event.tag, event.digest, event.position, event.hash, event.payload)


def _recorded(one: Addition, recorded_at: Micros) -> RecordedEvent:
    candidate = one.candidate
    return RecordedEvent(
        position=one.position,
        recorded_at=recorded_at,
        stream=candidate.placement.stream,
        version=one.version,
        tag=candidate.tag,
        run=candidate.placement.event.run,
        digest=candidate.digest,
        hash=one.hash,
        payload=candidate.payload,
    )


def _bounded(
    events: Iterable[RecordedEvent], tags: Collection[str] | None, limit: int, max_bytes: int
) -> list[RecordedEvent]:
    found: list[RecordedEvent] = []
    size = 0
    for event in events:
        if tags is not None and event.tag not in tags:
            continue
        size += len(event.payload or b"")
        if len(found) >= limit or (found and size > max_bytes):
            break
        found.append(event)
    return found
