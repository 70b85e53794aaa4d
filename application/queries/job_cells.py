"""What the table of jobs is made of, kept in this process and renewed job by job.

A table may be sorted and filtered by anything of 10,000 jobs. Instead of asking for all of that again each time, what
was read is kept with the position it was read at; the log says which jobs something was reported of since then, and
those alone are read anew. So what is kept is never behind the views of whoever asks, and no rule is restated anywhere.
"""

from __future__ import annotations

import math
from array import array
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from functools import partial
from operator import attrgetter
from typing import Generic, TypeVar

import msgspec
from tuneplane.contract import TRANSPORT_HEALTH

from application.ports.records import Where
from application.ports.series_across import SeriesValues
from application.ports.views import START, Views
from application.projections.hyperparameters import HYPERPARAMETER
from application.projections.run import ACTIVITY, RUN, RunRecord
from application.projections.transport import HEALTH
from application.queries.job_column import STATISTICS, Fact, Statistic
from application.queries.job_condition import Cell
from domain.ids import Micros, Position, RunId
from domain.rules.job_silence import silent_since
from domain.rules.transport_health import Heartbeat, heartbeat, transport_state

COLUMNS_KEPT = 48
"""Hyperparameters, and as many series; those asked for longest ago are forgotten."""
EVENTS_LOOKED_AT = 20_000
"""Of the log, for what is new; where there are more, all is read."""
_JOBS_ASKED_FOR = 1_000
"""Where more changed, all are read: that takes no longer."""
_UNKNOWN = math.nan
_BY_CREATION = attrgetter("created_position")
T = TypeVar("T")


class Job(msgspec.Struct, frozen=True):
    """One job."""

    record: RunRecord
    """Without its notes."""
    heard_at: Micros | None
    search: str
    """What a free search looks through, case folded."""


class _Kept(Generic[T]):
    """Columns of one kind by their key."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, T] = OrderedDict()

    def get(self, key: str) -> T | None:
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def keep(self, key: str, column: T) -> T:
        self._kept[key] = column
        while len(self._kept) > COLUMNS_KEPT:
            self._kept.popitem(last=False)
        return column


class _Config:
    """One hyperparameter, by place of the job."""

    def __init__(self) -> None:
        self.position = START
        self.cells: list[Cell] = []


class _Metric:
    """One series, by place of the job; NaN where nothing finite was reported."""

    def __init__(self) -> None:
        self.position = START
        self.cells: dict[Statistic, array[float]] = {one: array("d") for one in STATISTICS}

    def clear(self, places: Sequence[int]) -> None:
        for column in self.cells.values():
            for place in places:
                column[place] = _UNKNOWN

    def put(self, place: int, values: SeriesValues) -> None:
        for statistic, column in self.cells.items():
            column[place] = getattr(values, statistic)


class _Heartbeats:
    """The latest of each reporter, by place of the job."""

    def __init__(self) -> None:
        self.position = START
        self.cells: list[tuple[Heartbeat, ...]] = []


class JobCells:
    """For one thread at a time. `renew` comes first, with the views that the other questions are asked of."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        """In order of creation; a place never changes."""
        self._places: dict[RunId, int] = {}
        self._position = START
        self._heartbeats = _Heartbeats()
        self._configs: _Kept[_Config] = _Kept()
        self._metrics: _Kept[_Metric] = _Kept()

    def renew(self, views: Views) -> None:
        """Takes in what is new, unless somebody with later views has done so already."""
        if views.position <= self._position and self.jobs:
            return
        changed = self._changed(views, self._position) if self.jobs else None
        self._read_jobs(views, changed)
        self._position = views.position

    def config(self, views: Views, key: str) -> Sequence[Cell]:
        """A hyperparameter of each job, as its latest attempt reported it."""
        kept = self._configs.get(key) or self._configs.keep(key, _Config())
        kept.cells += [None] * (len(self.jobs) - len(kept.cells))
        if views.position > kept.position:
            changed = self._changed(views, kept.position) if kept.position else None
            self._read_config(views, key, kept, changed)
            kept.position = views.position
        return kept.cells

    def metric(self, views: Views, key: str, statistic: Statistic) -> list[Cell]:
        """A series of each job, as its surviving lineage has it."""
        kept = self._metrics.get(key) or self._metrics.keep(key, _Metric())
        missing = len(self.jobs) - len(kept.cells[statistic])
        for column in kept.cells.values():
            column.extend([_UNKNOWN] * missing)
        if views.position > kept.position:
            changed = self._changed(views, kept.position) if kept.position else None
            self._read_metric(views, key, kept, changed)
            kept.position = views.position
        # NaN alone is not equal to itself.
        return [one if one == one else None for one in kept.cells[statistic]]  # noqa: PLR0124

    def heartbeats(self, views: Views) -> Sequence[tuple[Heartbeat, ...]]:
        """The latest of each reporter of each job."""
        kept = self._heartbeats
        kept.cells += [()] * (len(self.jobs) - len(kept.cells))
        if views.position > kept.position:
            changed = self._changed(views, kept.position) if kept.position else None
            self._read_heartbeats(views, kept, changed)
            kept.position = views.position
        return kept.cells

    def _changed(self, views: Views, since: Position) -> list[RunId] | None:
        """Jobs to read anew; None for all."""
        found = views.changed(since, EVENTS_LOOKED_AT)
        return None if found is None or len(found) > _JOBS_ASKED_FOR else list(found)

    def _read_jobs(self, views: Views, changed: Sequence[RunId] | None) -> None:
        if changed == []:
            return
        those = _those(changed)
        heard: dict[RunId, Micros] = {}
        for one in views.records.find(ACTIVITY, *those):
            heard[one.run] = max(one.last_event_at, heard.get(one.run, one.last_event_at))
        for record in sorted(views.records.find(RUN, *those), key=_BY_CREATION):
            slim = msgspec.structs.replace(record, notes=None, search="")
            job = Job(slim, heard.get(record.run), record.search.casefold())
            place = self._places.setdefault(record.run, len(self.jobs))
            if place == len(self.jobs):
                self.jobs.append(job)
            else:
                self.jobs[place] = job

    def _read_config(self, views: Views, key: str, kept: _Config, changed: Collection[RunId] | None) -> None:
        for place in self._places_of(changed):
            kept.cells[place] = None
        for one in views.records.find(HYPERPARAMETER, Where("key", "=", key), *_those(changed)):
            found = self._places.get(one.run)
            if found is not None and one.stands and one.attempt == self.jobs[found].record.attempt:
                kept.cells[found] = "null" if one.value is None else one.value

    def _read_heartbeats(self, views: Views, kept: _Heartbeats, changed: Collection[RunId] | None) -> None:
        for place in self._places_of(changed):
            kept.cells[place] = ()
        for one in views.records.find(HEALTH, Where("name", "=", TRANSPORT_HEALTH), *_those(changed)):
            found = self._places.get(one.run)
            if found is not None:
                kept.cells[found] += (heartbeat(one.values, one.recorded_at),)

    def _read_metric(self, views: Views, key: str, kept: _Metric, changed: list[RunId] | None) -> None:
        kept.clear(self._places_of(changed))
        for run, values in views.scalars.across(key, changed).items():
            found = self._places.get(run)
            if found is not None:
                kept.put(found, values)

    def _places_of(self, runs: Collection[RunId] | None) -> Sequence[int]:
        if runs is None:
            return range(len(self.jobs))
        return [self._places[run] for run in runs if run in self._places]


def _those(runs: Collection[RunId] | None) -> list[Where]:
    return [] if runs is None else [Where("run", "in", tuple(runs))]


def fact_reader(fact: Fact, now: Micros) -> Callable[[Job], Cell]:
    """Tells what the server knows of a job; times and durations in microseconds."""
    return partial(_duration, now) if fact == "duration" else _FACTS[fact]


def _duration(now: Micros, job: Job) -> Cell:
    """Of a silent job until it was last heard: whether it ran on, nobody said."""
    started = job.record.started_at
    if started is None:
        return None
    return (job.record.finished_at or silent_since(job.record.status, job.heard_at, now) or now) - started


def transport_cell(latest: Sequence[Heartbeat], now: Micros) -> Cell:
    """The transport health of a job from the latest heartbeat of each reporter; None where it is unknown."""
    state = transport_state(latest, now)
    return None if state == "unknown" else state


_FACTS: dict[Fact, Callable[[Job], Cell]] = {
    "id": attrgetter("record.run"),
    "created": attrgetter("record.created_at"),
    "started": attrgetter("record.started_at"),
    "finished": attrgetter("record.finished_at"),
    "heard": attrgetter("heard_at"),
    "name": attrgetter("record.name"),
    "status": attrgetter("record.status"),
    "owner": attrgetter("record.owner"),
    "tags": attrgetter("record.tags"),
    "recipe": attrgetter("record.recipe"),
    "framework": attrgetter("record.framework"),
    "attempt": attrgetter("record.attempt"),
}
