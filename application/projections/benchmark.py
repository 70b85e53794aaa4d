"""Scores on benchmarks: the latest of each, and how often it changed."""

from __future__ import annotations

import msgspec

from application.ports.event_log import RecordedEvent
from application.ports.records import Records, RecordTable
from application.projections.projection import Projection
from domain.events import BenchmarkScored, Event
from domain.ids import Attempt, Micros, Position, RunId


class BenchmarkRecord(msgspec.Struct, frozen=True, kw_only=True):
    run: RunId
    score: str
    """Its identity: the stream of attempt, runner, model, benchmark and metric, in hex."""
    position: Position
    """Of the latest value."""
    attempt: Attempt
    runner: str
    model: str
    benchmark: str
    metric: str
    value: float
    scored_at: Micros
    versions: int
    """Different values reported one after the other; all of them are in the history."""


BENCHMARK = RecordTable(
    name="benchmark",
    record=BenchmarkRecord,
    key=("run", "score"),
    columns=("position", "attempt"),
    indexes=(("run", "position"),),
)


def project(recorded: RecordedEvent, event: Event, records: Records) -> None:
    """Takes in one score; the latest value replaces the one before."""
    match event:
        case BenchmarkScored():
            record = BenchmarkRecord(
                run=event.run,
                score=recorded.stream.hex,
                position=recorded.position,
                attempt=event.attempt,
                runner=event.runner,
                model=event.model,
                benchmark=event.benchmark,
                metric=event.metric,
                value=event.value,
                scored_at=recorded.recorded_at,
                versions=recorded.version,
            )
            records.put(BENCHMARK, record)
        case _:
            pass


BENCHMARK_PROJECTION = Projection(
    name="benchmark", version=1, reads=(BenchmarkScored,), tables=(BENCHMARK,), project=project
)
