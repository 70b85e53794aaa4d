"""Benchmark scores: runner, model, benchmark and metric name one."""

from __future__ import annotations

from domain.events import BenchmarkScored
from domain.ids import stream_id
from domain.placement import Placement
from domain.rules import latest_version_shows


def score_benchmark(event: BenchmarkScored) -> Placement:
    """An equal score is the same; a different one is the next version, and the history is kept."""
    stream = stream_id(event.run, event.attempt, "benchmark", event.runner, event.model, event.benchmark, event.metric)
    return latest_version_shows.place(event, stream)
