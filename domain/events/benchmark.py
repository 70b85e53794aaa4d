"""Scores on benchmarks."""

from __future__ import annotations

from domain.events.base import AttemptEvent


class BenchmarkScored(AttemptEvent, frozen=True, kw_only=True, omit_defaults=True, tag="benchmark-scored.v1"):
    runner: str
    model: str
    benchmark: str
    metric: str
    value: float
