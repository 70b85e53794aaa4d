"""The series view as a dict: what every adapter must say of a history of reports."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from application.ports.series_view import Chart, InvalidCounts, PointRow, SeriesSummary
from domain.events.series import InvalidKind
from domain.ids import Attempt
from domain.rules.series_summary import summary

Point = tuple[int, float, int]
"""(step, value, time)."""


@dataclass(frozen=True)
class Report:
    """One event's points: (key, points) in the order sent, and (key, step, kind) of what was not finite."""

    attempt: int
    segments: Sequence[tuple[str, Sequence[Point]]]
    invalid: Sequence[tuple[str, int, InvalidKind]] = ()

    @property
    def keys(self) -> list[str]:
        """In the order they were first named."""
        return list(dict.fromkeys([key for key, _ in self.segments] + [key for key, _, _ in self.invalid]))


@dataclass
class Model:
    """One run."""

    reports: list[Report] = field(default_factory=list)

    def names(self) -> list[str]:
        return sorted({key for one in self.reports for key in one.keys})

    def attempts(self) -> list[Attempt]:
        return sorted({Attempt(one.attempt) for one in self.reports})

    def points(self, key: str, attempt: int | None, low: int = 0, high: int = 2**63 - 1) -> list[tuple[int, Point]]:
        """(attempt, point) in order of step."""
        rows = []
        for each, bound in self._bounds(key, attempt).items():
            rows += [(each, one) for one in self._standing(key, each) if low <= one[0] <= high and one[0] < bound]
        return sorted(rows, key=lambda row: row[1][0])

    def summary(self, key: str, attempt: int | None) -> SeriesSummary | None:
        invalid = self._invalid(key, attempt)
        known = summary(point for _, point in self.points(key, attempt))
        if known is None:
            nothing = dict.fromkeys(("min", "max", "mean", "first", "last", "first_step", "last_step", "last_at"))
            return SeriesSummary(key=key, count=0, invalid=invalid, **nothing) if invalid != InvalidCounts() else None
        values = {name: getattr(known, name) for name in known.__struct_fields__}
        return SeriesSummary(key=key, invalid=invalid, **values)

    def rows(self, keys: Iterable[str], attempt: int | None) -> list[PointRow]:
        return [
            PointRow(each, key, step, value, time)
            for key in sorted(keys)
            for each, (step, value, time) in self.points(key, attempt)
        ]

    def _standing(self, key: str, attempt: int) -> list[Point]:
        standing = {
            point[0]: point
            for one in self.reports
            if one.attempt == attempt
            for name, points in one.segments
            if name == key
            for point in points
        }
        return sorted(standing.values())

    def _reported(self, key: str, attempt: int) -> list[tuple[int, str]]:
        return [
            (step, kind)
            for one in self.reports
            if one.attempt == attempt
            for name, step, kind in one.invalid
            if name == key
        ]

    def _bounds(self, key: str, attempt: int | None) -> dict[int, float]:
        """Attempt -> the step before which its points survive."""
        bounds: dict[int, float] = {}
        bound = math.inf
        for each in reversed(self.attempts()):
            steps = [point[0] for point in self._standing(key, each)] + [step for step, _ in self._reported(key, each)]
            if not steps or attempt not in {None, each}:
                continue
            bounds[each] = bound
            bound = min(bound, *steps)
        return bounds

    def _invalid(self, key: str, attempt: int | None) -> InvalidCounts:
        counted = []
        for each, bound in self._bounds(key, attempt).items():
            reported = self._reported(key, each)
            if reported and min(reported)[0] < bound:
                counted += reported
        kinds = [kind for _, kind in counted]
        return InvalidCounts(
            nan=kinds.count("nan"),
            pos_inf=kinds.count("pos_inf"),
            neg_inf=kinds.count("neg_inf"),
            first_step=min((step for step, _ in counted), default=None),
        )


def same_summary(found: SeriesSummary, expected: SeriesSummary) -> bool:
    """Equal but for the last bits of the mean."""
    for name in found.__struct_fields__:
        one, other = getattr(found, name), getattr(expected, name)
        if name == "mean" and one is not None and other is not None:
            size = max(abs(expected.min or 0), abs(expected.max or 0))
            if not math.isfinite(one) or abs(one - other) > _slack(size):
                return False
        elif one != other:
            return False
    return True


def check_chart(chart: Chart, points: Sequence[Point], buckets: int) -> None:
    """Whether `chart` tells the truth about `points`, whatever its buckets."""
    assert len(chart.step) <= buckets
    if len(points) <= buckets:
        assert chart.exact
        assert list(zip(chart.step, chart.last, chart.time, strict=True)) == [
            (step, value, time / 1e6) for step, value, time in points
        ]
        assert chart.min == chart.max == chart.mean == chart.last
        assert chart.count == [1] * len(points)
        return
    assert not chart.exact
    at = 0
    rows = zip(chart.step, chart.time, chart.min, chart.max, chart.mean, chart.last, chart.count, strict=True)
    for step, time, low, high, mean, last, count in rows:
        bucket = points[at : at + count]
        at += count
        known = summary(bucket)
        assert known is not None
        assert (step, time) == (bucket[0][0], bucket[0][2] / 1e6)
        assert (low, high, last, count) == (known.min, known.max, known.last, known.count)
        assert abs(mean - known.mean) <= _slack(max(abs(low), abs(high)))
    assert at == len(points)


def _slack(size: float) -> float:
    return size * 1e-12 + 1e-300
