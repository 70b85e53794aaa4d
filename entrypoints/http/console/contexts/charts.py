"""Curves of a job, and its latest histograms."""

from __future__ import annotations

import msgspec

from entrypoints.http.console.contexts.job import JobPage


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """One bucket of a histogram."""

    label: str
    """Its interval, as `(1, 2]`."""
    count: int
    height: float
    """Of 100, the fullest bucket being 100."""
    x: float
    """Left edge, of 100."""
    width: float
    """Of 100."""


class Histogram(msgspec.Struct, frozen=True, kw_only=True):
    """The latest of its name, as it was reported: never estimated."""

    name: str
    step: int | None
    policy_version: int | None
    recorded_at: str
    total: int
    """All counts together."""
    bars: list[Bar]


class ChartsPage(JobPage, frozen=True, kw_only=True):
    template = "charts.html"
    series: str
    """Address of the list of series."""
    data: str
    """Address of the charts' points."""
    csv: str
    """Address of the original points."""
    series_count: int
    """Series the job has opened, all attempts together."""
    histograms: list[Histogram]
    """By name; at most a dozen."""
