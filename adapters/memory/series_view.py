"""The series view in memory: the points of each attempt as numpy columns, about 24 bytes a point."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from application.ports.event_log import RecordedEvent
from application.ports.series_across import SeriesValues
from application.ports.series_view import Chart, PointRow, SeriesSummary
from application.series.chart import chart_of_points
from application.series.columns import Batch, unpack
from application.series.held import NOTHING, Held
from application.series.keys import matching, point_rows
from application.series.lineage import Stretch, stretches
from application.series.merge import Points, between, cut, overlaid
from application.series.spans import SUMMARY, Rows, spans
from application.series.summary import series_summaries, surviving_invalid
from domain.events import Event, HardwareSampled, MetricsReported, SeriesOpened
from domain.events.series import Family, InvalidPoint
from domain.ids import Attempt, RunId

_PENDING_POINTS = 65_536
_ROWS = 8192
"""Points that `points` gives at once."""


class MemorySeriesView:
    """One family: what the projector fills, and `application/ports/series_view.py` reads."""

    def __init__(self, family: Family) -> None:
        self._family = family
        self._reported = MetricsReported if family == "scalar" else HardwareSampled
        self._numbers: dict[RunId, dict[str, int]] = {}
        self._attempts: dict[RunId, dict[Attempt, _Growing]] = {}

    def project(self, events: Iterable[tuple[RecordedEvent, Event]]) -> None:
        """Takes in `events`, in order of position; others than this family's change nothing."""
        for _, event in events:
            if isinstance(event, SeriesOpened) and event.family == self._family:
                self._numbers.setdefault(event.run, {})[event.key] = event.number
            elif isinstance(event, self._reported):
                attempts = self._attempts.setdefault(event.run, {})
                invalid = event.invalid if isinstance(event, MetricsReported) else ()
                attempts.setdefault(event.attempt, _Growing()).add(unpack(event.columns), invalid)

    def keys(self, run: RunId, *, q: str = "", after: str | None = None, limit: int | None = None) -> list[str]:
        """In code-point order behind `after`."""
        behind = (key for key in sorted(self._numbers.get(run, ())) if after is None or key > after)
        return matching(behind, q)[:limit]

    def reported_keys(self, run: RunId, attempt: Attempt) -> list[str]:
        """Invalid measurements included, in code-point order."""
        growing = self._attempts.get(run, {}).get(attempt)
        numbers = growing.held().numbers if growing is not None else set()
        return sorted(key for key, number in self._numbers.get(run, {}).items() if number in numbers)

    def series_count(self, run: RunId) -> int:
        """Series the run has opened."""
        return len(self._numbers.get(run, ()))

    def across(self, key: str, runs: Sequence[RunId] | None = None) -> dict[RunId, SeriesValues]:
        """What is known of `key` in each run that reported a finite point."""
        found = {}
        for run in self._numbers if runs is None else runs:
            for one in self.summaries(run, [key]):
                if one.min is not None and one.max is not None and one.mean is not None and one.last is not None:
                    found[run] = SeriesValues(one.min, one.max, one.mean, one.last)
        return found

    def known_keys(self, *, q: str = "", limit: int) -> list[str]:
        """Of all runs, in code-point order."""
        return matching(sorted({key for numbers in self._numbers.values() for key in numbers}), q)[:limit]

    def summaries(self, run: RunId, keys: Sequence[str], attempt: Attempt | None = None) -> list[SeriesSummary]:
        """In the order of `keys`; those without any report are left out."""
        chosen = {key: self._chosen(run, key, attempt) for key in keys}
        reported = [key for key in keys if chosen[key]]
        parts = [[_summary(held, number, each) for held, number, each in chosen[key]] for key in reported]
        invalid = [
            surviving_invalid([(held.invalid_of(number), each) for held, number, each in chosen[key]])
            for key in reported
        ]
        return series_summaries(reported, parts, invalid)

    def chart(
        self,
        run: RunId,
        key: str,
        *,
        attempt: Attempt | None = None,
        buckets: int = 1000,
        first_step: int | None = None,
        last_step: int | None = None,
    ) -> Chart | None:
        """At most `buckets` rows; None for an unknown key."""
        if key not in self._numbers.get(run, ()):
            return None
        chosen = self._chosen(run, key, attempt, first_step, last_step)
        return chart_of_points(overlaid([_points(*each) for each in chosen]), buckets)

    def points(self, run: RunId, keys: Sequence[str], attempt: Attempt | None = None) -> Iterator[list[PointRow]]:
        """By key in code-point order and by step."""
        for key in sorted(set(keys)):
            for held, number, stretch in self._chosen(run, key, attempt):
                points = _points(held, number, stretch)
                for start in range(0, len(points), _ROWS):
                    yield point_rows(stretch.attempt, key, cut(points, start, start + _ROWS))

    def _chosen(
        self,
        run: RunId,
        key: str,
        attempt: Attempt | None,
        first_step: int | None = None,
        last_step: int | None = None,
    ) -> list[tuple[Held, int, Stretch]]:
        """The stretches a question is about, in order of step, and where their points are."""
        number = self._numbers.get(run, {}).get(key)
        if number is None:
            return []
        attempts = {each: growing.held() for each, growing in self._attempts.get(run, {}).items()}
        found = stretches(_first_steps(attempts, number), attempt, first_step, last_step)
        return [(attempts[each.attempt], number, each) for each in found]


class _Growing:
    """Points of one attempt: merged ones, and batches behind them until they are as many."""

    def __init__(self) -> None:
        self._held = NOTHING
        self._batches: list[Batch] = []
        self._invalid: list[InvalidPoint] = []
        self._pending = 0

    def add(self, batch: Batch, invalid: Sequence[InvalidPoint]) -> None:
        """Behind all others."""
        self._batches.append(batch)
        self._invalid += invalid
        self._pending += len(batch.steps)
        if self._pending >= max(_PENDING_POINTS, len(self._held)):
            self.held()

    def held(self) -> Held:
        """All points, merged."""
        if self._batches:
            self._held = self._held.and_then(self._batches, self._invalid)
            self._batches, self._invalid, self._pending = [], [], 0
        return self._held


def _first_steps(attempts: Mapping[Attempt, Held], number: int) -> dict[Attempt, int]:
    """The smallest step each attempt reported, finite or not."""
    result = {}
    for attempt, held in attempts.items():
        steps = [held.points(number).steps[:1].tolist(), [held.invalid_of(number).first_step]]
        known = [step for each in steps for step in each if step is not None]
        if known:
            result[attempt] = min(known)
    return result


def _points(held: Held, number: int, stretch: Stretch) -> Points:
    return between(held.points(number), stretch.low, stretch.high)


def _summary(held: Held, number: int, stretch: Stretch) -> Rows:
    points = _points(held, number, stretch)
    if not len(points):
        return np.empty(0, SUMMARY)
    return spans(SUMMARY, points.steps, points.times, points.values, np.zeros(1, np.int64))
