"""Views in memory: all of a log as it is, or one run as it was."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from adapters.memory.record_pairs import MemoryRecordPairs
from application.ports.event_log import EventLog, RecordedEvent
from application.ports.record_pairs import PairReader
from application.ports.series_view import SeriesReader
from application.ports.views import START, ProjectionFault
from application.projections.faults import described
from application.projections.projection import Projection
from domain.errors import Refused, TryAgain
from domain.events import Event, decode
from domain.ids import Position, RunId

_BATCH = 512
_ALL = 1 << 62
_LOOK_SECONDS = 0.01
FOLDS = 2
"""Pasts that are kept in memory at one time."""
FOLD_WAIT_SECONDS = 10.0
FOLDS_WAITING = 2
"""Readers that wait for one of them to end; one more is told to come back. Each of them holds a thread."""


class SeriesTwin(SeriesReader, Protocol):
    """Curves of one family, made in memory."""

    def project(self, events: Iterable[tuple[RecordedEvent, Event]]) -> None:
        """Takes in events of any type, in order."""
        ...


class _Fold:
    """One thing that takes in events of some types; a fault stops it at that run."""

    def __init__(
        self, name: str, reads: frozenset[str] | None, project: Callable[[RecordedEvent, Event], None]
    ) -> None:
        self._name = name
        self._reads = reads
        self._project = project
        self._stopped: dict[RunId, ProjectionFault] = {}

    def take(self, recorded: RecordedEvent, event: Event | Exception) -> None:
        """Takes in an event, or the reason why it could not be decoded."""
        if recorded.run in self._stopped or (self._reads is not None and recorded.tag not in self._reads):
            return
        if isinstance(event, Exception):
            self._stop(recorded, event)
            return
        try:
            self._project(recorded, event)
        except Exception as error:  # noqa: BLE001 - whatever it is, it stops this run in this view and is shown
            self._stop(recorded, error)

    def _stop(self, recorded: RecordedEvent, error: Exception) -> None:
        self._stopped[recorded.run] = ProjectionFault(
            projection=self._name, position=recorded.position, error=described(error), at=recorded.recorded_at
        )

    def fault(self, run: RunId) -> ProjectionFault | None:
        return self._stopped.get(run)


class MemoryViews:
    """All views, as far as they have taken in a log; see the port."""

    def __init__(
        self, log: EventLog, projections: Sequence[Projection], scalars: SeriesTwin, hardware: SeriesTwin
    ) -> None:
        records = MemoryRecordPairs()
        self.records: PairReader = records
        self.scalars: SeriesReader = scalars
        self.hardware: SeriesReader = hardware
        self.log = log
        self.position = Position(0)
        self._folds = [_fold(one, records) for one in projections]
        self._folds += [_series_fold("series", scalars), _series_fold("hardware_series", hardware)]

    def follow(self, until: Position, *runs: RunId) -> None:
        """Takes in the events behind `position`, up to `until`; of some runs alone where they are named."""
        for run in runs or (None,):
            after = self.position
            while events := self.log.read(after, limit=_BATCH, until=until, run=run):
                for recorded in events:
                    self._take(recorded)
                after = events[-1].position
        self.position = max(self.position, until)

    def changed(self, after: Position, most: int) -> set[RunId] | None:
        if self.position - after > most:
            return None
        count = max(0, self.position - after)
        return {one.run for one in self.log.read(after, limit=count, max_bytes=_ALL, until=self.position)}

    def faults(self, run: RunId) -> list[ProjectionFault]:
        found = [fault for fold in self._folds if (fault := fold.fault(run)) is not None]
        return sorted(found, key=lambda fault: fault.projection)

    def _take(self, recorded: RecordedEvent) -> None:
        if recorded.payload is None:
            return  # it was erased
        event = _decoded(recorded.tag, recorded.payload)
        for fold in self._folds:
            fold.take(recorded, event)


def _series_fold(name: str, twin: SeriesTwin) -> _Fold:
    return _Fold(name, None, lambda recorded, event: twin.project([(recorded, event)]))


def _fold(projection: Projection, records: MemoryRecordPairs) -> _Fold:
    reads = frozenset(str(kind.__struct_config__.tag) for kind in projection.reads)
    return _Fold(projection.name, reads, lambda recorded, event: projection.project(recorded, event, records))


def _decoded(tag: str, payload: bytes) -> Event | Exception:
    try:
        return decode(tag, payload)
    except Exception as error:  # noqa: BLE001 - it concerns this event alone
        return error


class MemoryReading:
    """Folds a log in this process. `now` remembers how far it came; `at` starts from nothing each time."""

    def __init__(
        self,
        log: EventLog,
        projections: Sequence[Projection],
        *,
        scalars: Callable[[], SeriesTwin],
        hardware: Callable[[], SeriesTwin],
    ) -> None:
        self._log = log
        self._projections = projections
        self._scalars = scalars
        self._hardware = hardware
        self._views = self._empty()
        self._lock = threading.Lock()  # a stream ends in another thread than it began in, which an RLock forbids
        self._folds = threading.BoundedSemaphore(FOLDS)
        self._asking = threading.BoundedSemaphore(FOLDS + FOLDS_WAITING)
        self._pause = threading.Event()

    @contextmanager
    def now(self, min_position: Position = START) -> Iterator[MemoryViews]:
        """Everything the log holds; `min_position` is there or nowhere."""
        del min_position
        with self._lock:
            self._views.follow(self._log.head().position)
            yield self._views

    @contextmanager
    def at(self, run: RunId, as_of: Position, *beside: RunId) -> Iterator[MemoryViews]:
        """The views of some runs as they were.

        Raises `Refused` where the log has not come so far, and `TryAgain` where `FOLDS` others are made and none of
        them ends in time, or too many wait for it: each may take the memory of a whole run.
        """
        end = self._log.head().position
        if as_of > end:
            raise Refused.at("as_of", f"is behind the end of the log, which is at position {end}", end)
        with _held(self._asking, 0.0), _held(self._folds, FOLD_WAIT_SECONDS):
            views = self._empty()
            views.follow(as_of, *dict.fromkeys((run, *beside)))
            yield views

    def await_news(self, after: Position, seconds: float) -> Position:
        """Looks at the log again and again: it tells nobody."""
        deadline = time.monotonic() + seconds
        while (found := self._log.head().position) <= after and time.monotonic() < deadline:
            self._pause.wait(_LOOK_SECONDS)
        return found

    def _empty(self) -> MemoryViews:
        return MemoryViews(self._log, self._projections, self._scalars(), self._hardware())


@contextmanager
def _held(places: threading.BoundedSemaphore, seconds: float) -> Iterator[None]:
    """One of a few places, waited for `seconds` at most. Raises `TryAgain`."""
    if not places.acquire(timeout=seconds):
        raise TryAgain("Others look at the past already. Repeat it in a moment.")
    try:
        yield
    finally:
        places.release()
