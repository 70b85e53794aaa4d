"""`benchmark`: scores, idempotent by runner, model, benchmark and metric."""

from __future__ import annotations

from typing import Annotated

import msgspec
from tuneplane.contract import METRIC_KEY_CHARS, SMALL_BODY_BYTES

from domain.benchmark import score_benchmark
from domain.events import BenchmarkScored
from domain.placement import Placement
from entrypoints.http.ingest.body import Body, Report
from entrypoints.http.ingest.guards import finite, name
from entrypoints.http.ingest.source import Source

SCORES_PER_REQUEST = 1_024


class Score(msgspec.Struct, frozen=True):
    benchmark: str
    metric: str
    value: float


class Benchmark(Report, frozen=True, kw_only=True):
    runner: str
    model: str
    scores: Annotated[list[Score], msgspec.Meta(min_length=1, max_length=SCORES_PER_REQUEST)]


BODY = Body(Benchmark, SMALL_BODY_BYTES)


def placements(report: Benchmark, source: Source) -> list[Placement]:
    """One event a score."""
    runner = name("runner", report.runner, METRIC_KEY_CHARS)
    model = name("model", report.model, METRIC_KEY_CHARS)
    found = []
    for at, score in enumerate(report.scores):
        finite(f"scores[{at}].value", score.value)
        event = BenchmarkScored(
            run=source.run,
            attempt=source.attempt,
            runner=runner,
            model=model,
            benchmark=name(f"scores[{at}].benchmark", score.benchmark, METRIC_KEY_CHARS),
            metric=name(f"scores[{at}].metric", score.metric, METRIC_KEY_CHARS),
            value=score.value,
        )
        found.append(score_benchmark(event))
    return found
