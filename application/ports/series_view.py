"""Curves: what is known of each series, and its points at any resolution.

A view covers one family: scalar series (keys are metric keys) or hardware (keys are `host/metric`, steps are
microseconds since the epoch). Rules: the later position wins a step; without an attempt, the surviving lineage.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import msgspec

from application.ports.series_across import SeriesAcross
from domain.ids import Attempt, RunId


class InvalidCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Measurements that were not finite numbers; they are in no count, extremum or mean."""

    nan: int = 0
    pos_inf: int = 0
    neg_inf: int = 0
    first_step: int | None = None
    """None where there were none."""


class SeriesSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One series in numbers. Without finite points everything but `key`, `count` and `invalid` is None."""

    key: str
    count: int
    """Distinct steps."""
    min: float | None
    max: float | None
    mean: float | None
    first: float | None
    """Value at the smallest step."""
    last: float | None
    """Value at the greatest step."""
    first_step: int | None
    last_step: int | None
    last_at: int | None
    """Reporter's time of the point at the greatest step, microseconds since the epoch."""
    invalid: InvalidCounts


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """Columns of equal length, in order of step: the points themselves where `exact`, else buckets of them."""

    step: list[int]
    """First step of the bucket."""
    time: list[float]
    """Seconds since the epoch, of the bucket's first point."""
    min: list[float]
    max: list[float]
    mean: list[float]
    last: list[float]
    count: list[int]
    exact: bool
    smoothed: list[float] | None = None
    """Exponential mean of `mean`, where a question asked for it; see `application/series/smoothing.py`."""


class PointRow(msgspec.Struct, frozen=True):
    """One surviving point."""

    attempt: int
    key: str
    step: int
    value: float
    time: int
    """Microseconds since the epoch."""


class SeriesReader(SeriesAcross, Protocol):
    """What queries may ask of one family."""

    def keys(self, run: RunId, *, q: str = "", after: str | None = None, limit: int | None = None) -> list[str]:
        """Keys in code-point order behind `after`, those that contain `q` (any case, literally)."""
        ...

    def reported_keys(self, run: RunId, attempt: Attempt) -> list[str]:
        """Keys that this attempt reported, invalid measurements included, in code-point order."""
        ...

    def summaries(self, run: RunId, keys: Sequence[str], attempt: Attempt | None = None) -> list[SeriesSummary]:
        """In the order of `keys`; keys without any report (in this attempt) are left out."""
        ...

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
        """At most `buckets` rows over the steps in [first_step, last_step]; None for an unknown key."""
        ...

    def points(self, run: RunId, keys: Sequence[str], attempt: Attempt | None = None) -> Iterator[list[PointRow]]:
        """Every surviving point by key and step, in pieces, in constant memory."""
        ...

    def series_count(self, run: RunId) -> int:
        """Series the run has opened."""
        ...
