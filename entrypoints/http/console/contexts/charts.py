"""Curves of a job, and what it observed beside them."""

from __future__ import annotations

import msgspec

from application.queries.series import Series
from entrypoints.http.console.contexts.job import JobPage
from entrypoints.http.console.contexts.observations import Observations


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """One of the series that are drawn large."""

    series: Series
    number: int
    """Its place, from 1: what colour and dashes it has."""
    without: str
    """Address of the page without it."""
    csv: str
    """Address of its original points."""


class Large(msgspec.Struct, frozen=True, kw_only=True):
    """One series over the whole width, or up to eight over each other."""

    curves: list[Curve]
    missing: list[str]
    """Keys that were asked for and not reported."""
    units: list[str]
    """What the curves are measured in, where that is not all the same; `undeclared` where the job did not say."""


class ChartsPage(JobPage, frozen=True, kw_only=True):
    template = "charts.html"
    series: str
    """Address of the list of series."""
    data: str
    """Address of the charts' points."""
    superseded: str
    """Address of points that later attempts replaced; empty where there is one attempt, or one was chosen."""
    csv: str
    """Address of the original points."""
    series_count: int
    """Series the job has opened, all attempts together."""
    large: Large | None
    """What the address asks to draw large; None: the grid of all series."""
    observations: Observations
    """What was observed beside the curves."""
