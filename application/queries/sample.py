"""Validation samples of a round: the texts that were kept, and what was said of all of them."""

from __future__ import annotations

from typing import Any

import msgspec

from application.ports.records import Where
from application.ports.views import Views
from application.projections.sample import SAMPLE, SAMPLE_ROUND, SampleRecord, SampleRoundRecord
from application.queries.page import Page, keyset, page_size
from application.queries.round import round_of
from domain.ids import Attempt, RoundId, RunId

_AT_ONCE = 16
_CHARS = 4_000_000
"""Text after which a page ends early."""


class ValidationSample(msgspec.Struct, frozen=True, kw_only=True):
    idx: int
    """Unique in the round."""
    user: str
    assistant: str
    env: str
    reward: float | None
    """None where it was not given."""
    extra: dict[str, Any]


class SamplesOfRound(msgspec.Struct, frozen=True, kw_only=True):
    """What arrived of a round's samples. They are a selection unless `samples` is `total_samples`."""

    attempt: Attempt
    step: int
    samples: int
    """Received."""
    total_samples: int | None
    """The evaluation had so many; None where the producer did not say."""
    chunks: int
    total_chunks: int
    avg_reward: float | None
    """This and the next three: as the producer computed them."""
    accuracy: float | None
    avg_len: float | None
    dist: list[dict[str, Any]] | None


class SamplePage(Page[ValidationSample], frozen=True, kw_only=True):
    of_round: SamplesOfRound | None
    """None where the round has none."""


def samples(
    views: Views,
    run: RunId,
    round_id: RoundId,
    *,
    attempt: int | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> SamplePage:
    """Samples by `idx`. A page of long texts ends early. Raises `UnknownRun`, `UnknownThing` for an unknown round."""
    known = round_of(views, run, round_id, attempt)
    where = Where("run", "=", run), Where("attempt", "=", known.attempt), Where("round_id", "=", round_id)
    size = page_size(limit)
    found: list[SampleRecord] = []
    room = _CHARS
    while True:
        some, cursor = keyset(views.records, SAMPLE, *where, size=min(size - len(found), _AT_ONCE), cursor=cursor)
        found += some
        room -= sum(len(one.sample.user) + len(one.sample.assistant) + len(one.sample.env) for one in some)
        if cursor is None or len(found) == size or room <= 0:
            of_round = _of_round(views.records.get(SAMPLE_ROUND, run, known.attempt, round_id))
            return SamplePage(items=[_sample(one) for one in found], next_cursor=cursor, of_round=of_round)


def _of_round(known: SampleRoundRecord | None) -> SamplesOfRound | None:
    if known is None:
        return None
    said = known.summary
    return SamplesOfRound(
        attempt=known.attempt,
        step=known.step,
        samples=known.samples,
        total_samples=known.total_samples,
        chunks=known.chunks,
        total_chunks=known.total_chunks,
        avg_reward=said.avg_reward if said else None,
        accuracy=said.accuracy if said else None,
        avg_len=said.avg_len if said else None,
        dist=list(said.dist) if said and said.dist is not None else None,
    )


def _sample(record: SampleRecord) -> ValidationSample:
    said = record.sample
    return ValidationSample(
        idx=said.idx,
        user=said.user,
        assistant=said.assistant,
        env=said.env,
        reward=said.reward,
        extra=said.extra,
    )
