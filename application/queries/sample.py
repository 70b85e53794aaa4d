"""Validation samples of a round: the texts that were kept, and what was said of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from application.ports.records import Where
from application.ports.views import Views
from application.projections.round import RoundRecord
from application.projections.sample import SAMPLE, SAMPLE_ROUND, SampleRecord, SampleRoundRecord
from application.queries.page import Page, keyset, page_size
from application.queries.round import Round, round_of
from domain.ids import Attempt, RoundId, RunId

_AT_ONCE = 16
_CHARS = 4_000_000
"""Text after which a page ends early, unless the question says otherwise."""


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
    first: int | None = None,
    attempt: int | None = None,
    limit: int | None = None,
    chars: int | None = None,
    cursor: str | None = None,
) -> SamplePage:
    """Samples by `idx`, from `first` on. A page ends early behind `chars` characters of text.

    Raises `UnknownRun`, `UnknownThing` for an unknown round.
    """
    known = round_of(views, run, round_id, attempt)
    where = [*_of(known)] if first is None else [*_of(known), Where("idx", ">=", first)]
    size, room = page_size(limit), _CHARS if chars is None else chars
    found: list[SampleRecord] = []
    while True:
        some, cursor = keyset(views.records, SAMPLE, *where, size=min(size - len(found), _AT_ONCE), cursor=cursor)
        found += some
        room -= sum(len(one.sample.user) + len(one.sample.assistant) + len(one.sample.env) for one in some)
        if cursor is None or len(found) == size or room <= 0:
            of_round = views.records.get(SAMPLE_ROUND, run, known.attempt, round_id)
            return SamplePage(
                items=[_sample(one) for one in found],
                next_cursor=cursor,
                of_round=None if of_round is None else _of_round(of_round),
            )


def page_before(
    views: Views, run: RunId, round_id: RoundId, idx: int, *, attempt: int | None = None, limit: int
) -> int | None:
    """Where the page of `limit` samples that ends before `idx` begins; None where no sample is there. Raises as above.

    A page that ends early behind its characters does not reach `idx`; the one after it does.
    """
    known = round_of(views, run, round_id, attempt)
    found = views.records.find(SAMPLE, *_of(known), Where("idx", "<", idx), descending=True, limit=limit)
    return found[-1].idx if found else None


def samples_of_rounds(
    views: Views, run: RunId, rounds: Sequence[Round]
) -> dict[tuple[Attempt, RoundId], SamplesOfRound]:
    """What arrived of the samples of each round; a round without any is left out."""
    attempts, names = tuple({one.attempt for one in rounds}), tuple(one.round_id for one in rounds)
    if not names:
        return {}
    where = Where("run", "=", run), Where("attempt", "in", attempts), Where("round_id", "in", names)
    found = views.records.find(SAMPLE_ROUND, *where)
    return {(one.attempt, one.round_id): _of_round(one) for one in found}


def _of(known: RoundRecord) -> tuple[Where, Where, Where]:
    return Where("run", "=", known.run), Where("attempt", "=", known.attempt), Where("round_id", "=", known.round_id)


def _of_round(known: SampleRoundRecord) -> SamplesOfRound:
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
