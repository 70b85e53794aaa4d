"""Validation samples by number, and what chunk 0 says of all of them."""

from __future__ import annotations

import msgspec

from application.ports.event_log import RecordedEvent
from application.ports.records import Records, RecordTable
from application.projections.projection import Projection
from domain.events import Event, SamplesReported
from domain.events.sample import Sample, SampleSummary
from domain.ids import Attempt, Position, RoundId, RunId


class SampleRecord(msgspec.Struct, frozen=True, kw_only=True):
    run: RunId
    attempt: Attempt
    round_id: RoundId
    idx: int
    """Unique in a round: the first accepted stands."""
    sample: Sample
    position: Position


class SampleRoundRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What arrived of the samples of one round."""

    run: RunId
    attempt: Attempt
    round_id: RoundId
    step: int
    total_chunks: int
    total_samples: int | None
    """Samples the evaluation had; None where the producer did not say."""
    summary: SampleSummary | None
    """None until chunk 0 is here, or where it said nothing."""
    chunks: int = 0
    """Chunks received."""
    samples: int = 0
    """Samples received."""


SAMPLE = RecordTable(name="sample", record=SampleRecord, key=("run", "attempt", "round_id", "idx"))
SAMPLE_ROUND = RecordTable(name="sample_round", record=SampleRoundRecord, key=("run", "attempt", "round_id"))


def project(recorded: RecordedEvent, event: Event, records: Records) -> None:
    """Takes in one chunk; chunks come in any order."""
    match event:
        case SamplesReported():
            new = sum(_keep(recorded, event, sample, records) for sample in event.samples)
            known = records.get(SAMPLE_ROUND, event.run, event.attempt, event.round_id)
            records.put(SAMPLE_ROUND, _taken_in(event, known, new))
        case _:
            pass


def _keep(recorded: RecordedEvent, event: SamplesReported, sample: Sample, records: Records) -> bool:
    """Whether the sample is the first of its number."""
    if records.get(SAMPLE, event.run, event.attempt, event.round_id, sample.idx) is not None:
        return False
    record = SampleRecord(
        run=event.run,
        attempt=event.attempt,
        round_id=event.round_id,
        idx=sample.idx,
        sample=sample,
        position=recorded.position,
    )
    records.put(SAMPLE, record)
    return True


def _taken_in(event: SamplesReported, known: SampleRoundRecord | None, new: int) -> SampleRoundRecord:
    total = known.total_samples if known else None
    summary = known.summary if known else None
    return SampleRoundRecord(
        run=event.run,
        attempt=event.attempt,
        round_id=event.round_id,
        step=known.step if known else event.step,
        total_chunks=known.total_chunks if known else event.total_chunks,
        total_samples=event.total_samples if total is None else total,
        summary=event.summary if summary is None else summary,
        chunks=(known.chunks if known else 0) + 1,
        samples=(known.samples if known else 0) + new,
    )


SAMPLE_PROJECTION = Projection(
    name="sample", version=1, reads=(SamplesReported,), tables=(SAMPLE, SAMPLE_ROUND), project=project
)
