"""Scores of a run on benchmarks."""

from __future__ import annotations

import msgspec

from application.ports.records import Where
from application.ports.views import Views
from application.projections.benchmark import BENCHMARK
from application.queries.moment import moment
from application.queries.page import Page, keyset, page_size
from application.queries.run import chosen_attempt, in_attempt
from domain.ids import Attempt, RunId


class BenchmarkScore(msgspec.Struct, frozen=True, kw_only=True):
    """The latest value of one score."""

    attempt: Attempt
    runner: str
    model: str
    benchmark: str
    metric: str
    value: float
    scored_at: str
    position: int
    versions: int
    """Different values reported one after the other; all of them are in the history."""


def benchmarks(
    views: Views, run: RunId, *, attempt: int | None = None, limit: int | None = None, cursor: str | None = None
) -> Page[BenchmarkScore]:
    """Scores, the latest first, of all attempts unless one is asked for. Raises `UnknownRun`, `UnknownThing`."""
    chosen = chosen_attempt(views, run, attempt)
    found, following = keyset(
        views.records,
        BENCHMARK,
        Where("run", "=", run),
        *in_attempt(chosen),
        order=("position",),
        descending=True,
        size=page_size(limit),
        cursor=cursor,
    )
    items = [
        BenchmarkScore(
            attempt=one.attempt,
            runner=one.runner,
            model=one.model,
            benchmark=one.benchmark,
            metric=one.metric,
            value=one.value,
            scored_at=moment(one.scored_at),
            position=one.position,
            versions=one.versions,
        )
        for one in found
    ]
    return Page(items=items, next_cursor=following)
