"""Scores of a run on benchmarks."""

from __future__ import annotations

import msgspec

from application.ports.event_log import RecordedEvent
from application.ports.records import Where
from application.ports.views import Views
from application.projections.benchmark import BENCHMARK
from application.queries.asked_attempt import chosen_attempt, in_attempt
from application.queries.moment import moment
from application.queries.page import Page, keyset, page_size
from domain.errors import UnknownThing
from domain.events import BenchmarkScored, decode
from domain.ids import Attempt, RunId, StreamId

MOST_VERSIONS = 100
"""Of one score, answered at once: the latest."""


class BenchmarkScore(msgspec.Struct, frozen=True, kw_only=True):
    """The latest value of one score."""

    score_id: str
    """Its identity: attempt, runner, model, benchmark and metric."""
    attempt: Attempt
    runner: str
    model: str
    benchmark: str
    metric: str
    value: float
    scored_at: str
    position: int
    versions: int
    """Different values reported one after the other; see `score_versions`."""


class ScoreVersion(msgspec.Struct, frozen=True, kw_only=True):
    """One of the values that were reported of a score."""

    version: int
    """From 1."""
    value: float | None
    """None where its body was erased."""
    scored_at: str
    position: int


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
            score_id=one.score,
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


def score_versions(views: Views, run: RunId, score_id: str) -> list[ScoreVersion]:
    """What was reported of one score, the latest first, at most 100. Raises `UnknownThing` for what is none."""
    record = views.records.get(BENCHMARK, run, score_id)
    if record is None:
        raise UnknownThing("This run has no such score.")
    recorded = views.log.stream(StreamId(hex=score_id), max(0, record.versions - MOST_VERSIONS))
    return [
        ScoreVersion(
            version=one.version,
            value=_value(one),
            scored_at=moment(one.recorded_at),
            position=one.position,
        )
        for one in reversed(recorded)
        if one.position <= views.position
    ]


def _value(recorded: RecordedEvent) -> float | None:
    event = None if recorded.payload is None else decode(recorded.tag, recorded.payload)
    return event.value if isinstance(event, BenchmarkScored) else None
