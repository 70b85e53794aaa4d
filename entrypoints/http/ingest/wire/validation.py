"""`validation`: samples of an evaluation round, in chunks; chunk 0 carries the round's summary."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from tuneplane.contract import (
    DISTRIBUTION_BYTES,
    INT64_MAX,
    ROUND_ID_CHARS,
    SAMPLE_BYTES,
    SAMPLE_CHUNKS,
    SAMPLE_FIELD_BYTES,
    SAMPLES_PER_REQUEST,
    VALIDATION_BODY_BYTES,
)

from domain.errors import Refused
from domain.events import SamplesReported
from domain.events.sample import Sample, SampleSummary
from domain.ids import RoundId
from domain.placement import Placement
from domain.sample import report_samples
from entrypoints.http.ingest.body import Body, Report
from entrypoints.http.ingest.guards import finite, free_form, json_bytes, name, size
from entrypoints.http.ingest.source import Source

Count = Annotated[int, msgspec.Meta(ge=0, le=INT64_MAX)]


class ValidationSample(msgspec.Struct, frozen=True):
    """Text at most 128 KiB a field and 256 KiB a sample."""

    idx: Count
    """Unique in a round."""
    user: str
    assistant: str
    env: str | None = None
    reward: float | None = None
    extra: dict[str, Any] | None = None


class Validation(Report, frozen=True, kw_only=True):
    step: Count
    samples: Annotated[list[ValidationSample], msgspec.Meta(max_length=SAMPLES_PER_REQUEST)]
    avg_reward: float | None = None
    accuracy: float | None = None
    avg_len: float | None = None
    dist: list[dict[str, Any]] | None = None
    """At most 64 KiB as JSON."""
    round_id: str | None = None
    """The step as text where it is absent."""
    chunk_index: Annotated[int, msgspec.Meta(ge=0, lt=SAMPLE_CHUNKS)] = 0
    total_chunks: Annotated[int, msgspec.Meta(ge=1, le=SAMPLE_CHUNKS)] = 1
    total_samples: Count | None = None


BODY = Body(Validation, VALIDATION_BODY_BYTES)


def placements(report: Validation, source: Source) -> list[Placement]:
    """One event a chunk."""
    if report.chunk_index >= report.total_chunks:
        raise Refused.at("chunk_index", f"must be below total_chunks ({report.total_chunks})", report.total_chunks)
    round_id = str(report.step) if report.round_id is None else name("round_id", report.round_id, ROUND_ID_CHARS)
    _check_indexes(report.samples)
    summary = _summary(report)
    event = SamplesReported(
        run=source.run,
        attempt=source.attempt,
        round_id=RoundId(round_id),
        step=report.step,
        chunk_index=report.chunk_index,
        total_chunks=report.total_chunks,
        samples=tuple(_sample(f"samples[{at}]", sample) for at, sample in enumerate(report.samples)),
        total_samples=report.total_samples,
        summary=summary if report.chunk_index == 0 else None,
    )
    return [report_samples(event)]


def _check_indexes(samples: list[ValidationSample]) -> None:
    seen: set[int] = set()
    for at, sample in enumerate(samples):
        if sample.idx in seen:
            raise Refused.at(f"samples[{at}].idx", f"{sample.idx} comes twice in this chunk")
        seen.add(sample.idx)


def _summary(report: Validation) -> SampleSummary | None:
    if report.dist is not None:
        free_form("dist", report.dist)
        if (found := json_bytes(report.dist)) > DISTRIBUTION_BYTES:
            raise Refused.at("dist", f"has {found:,} bytes; {DISTRIBUTION_BYTES:,} are allowed", DISTRIBUTION_BYTES)
    summary = SampleSummary(
        avg_reward=finite("avg_reward", report.avg_reward),
        accuracy=finite("accuracy", report.accuracy),
        avg_len=finite("avg_len", report.avg_len),
        dist=None if report.dist is None else tuple(report.dist),
    )
    return None if summary == SampleSummary() else summary


def _sample(path: str, sample: ValidationSample) -> Sample:
    env, extra = sample.env or "", sample.extra or {}
    total = size(f"{path}.user", sample.user, SAMPLE_FIELD_BYTES)
    total += size(f"{path}.assistant", sample.assistant, SAMPLE_FIELD_BYTES)
    total += size(f"{path}.env", env, SAMPLE_FIELD_BYTES)
    if extra:
        free_form(f"{path}.extra", extra)
        total += json_bytes(extra)
    if total > SAMPLE_BYTES:
        raise Refused.at(path, f"has {total:,} bytes of text; {SAMPLE_BYTES:,} are allowed", SAMPLE_BYTES)
    return Sample(
        idx=sample.idx,
        user=sample.user,
        assistant=sample.assistant,
        env=env,
        reward=finite(f"{path}.reward", sample.reward),
        extra=extra,
    )
