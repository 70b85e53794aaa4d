"""Scores of a job on benchmarks."""

from __future__ import annotations

import msgspec

from application.queries.benchmark import BenchmarkScore, ScoreVersion
from entrypoints.http.console.contexts.job import JobPage


class ScoreRow(msgspec.Struct, frozen=True, kw_only=True):
    """One score, and its earlier values where they were asked for."""

    score: BenchmarkScore
    address: str
    """Of the page with, or without, its earlier values."""
    versions: list[ScoreVersion]
    """The latest first; empty where they were not asked for."""


class BenchmarkGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The scores on one benchmark."""

    benchmark: str
    rows: list[ScoreRow]
    """By metric, runner, model and attempt: no ranking."""


class BenchmarksPage(JobPage, frozen=True, kw_only=True):
    template = "benchmarks.html"
    groups: list[BenchmarkGroup]
    """By name."""
    review: str
    """Address of the comparison with another job."""
    here: str
    """Address of this page."""
    first_page: str | None
    """None on the first page."""
    next_page: str | None
    """None where no more scores follow."""
