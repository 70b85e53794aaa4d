"""Two evaluation rounds side by side: whether they may be compared, and what became of each trial.

Transitions are observed; neither they nor a difference are statistical proof, and nobody certifies the protocols.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

import msgspec

from application.ports.records import Where
from application.ports.views import Views
from application.projections.round import TRIAL, RoundRecord
from application.queries.page import MOST, Page, cursor_of, keyset, page_size, parts_of
from application.queries.round import Round, round_of, shown_round
from domain.errors import Refused
from domain.events.outcome import OutcomeStatus
from domain.ids import RoundId, RunId, TrialId
from domain.rules import trial_transitions
from domain.rules.matched_comparison import RoundEvidence, compare
from domain.rules.outcome_counts import OutcomeCounts
from domain.rules.trial_transitions import TRANSITIONS, Transition

_KIND = "review"


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """Which round stands on one side."""

    run: RunId
    round_id: RoundId
    attempt: int | None = None
    """None: the highest that reported the round."""


class ReviewedRound(Round, frozen=True, kw_only=True):
    run_id: RunId


class Transitions(msgspec.Struct, frozen=True, kw_only=True):
    """How many trials went which way, from left to right."""

    failure_to_success: int
    success_to_failure: int
    both_success: int
    both_failure: int
    missing_left: int
    """Reported on the right alone."""
    missing_right: int
    not_scored: int
    """Reported on both sides, and not scored on one of them or both."""


class TrialPair(msgspec.Struct, frozen=True, kw_only=True):
    """One trial on both sides."""

    trial_id: TrialId
    left: OutcomeStatus | None
    """Its current outcome; None where this side never reported it."""
    right: OutcomeStatus | None
    transition: Transition


class RoundComparison(msgspec.Struct, frozen=True, kw_only=True):
    left: ReviewedRound
    right: ReviewedRound
    matched: bool
    """The four digests are the same, as the producers declare them."""
    mismatches: list[str]
    """Digests that differ or are missing; `protocol` where a side declared none."""
    difference: float | None
    """Right minus left success rate; None unless both rounds are matched and completely scored."""
    transitions: Transitions
    trials: Page[TrialPair]


def side_of(text: str, field: str) -> Side:
    """The side that `run:round` names. Run ids hold no colon, round ids may. Raises `Refused`."""
    run, colon, round_id = text.partition(":")
    if not (run and colon and round_id):
        raise Refused.at(field, "must be run:round")
    return Side(run=RunId(run), round_id=RoundId(round_id))


def review_rounds(
    views: Views,
    left: Side,
    right: Side,
    *,
    transition: Transition | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> RoundComparison:
    """`right` against `left`; trials by id, those of one `transition` where it is given.

    Raises `UnknownRun`, and `UnknownThing` for an unknown round.
    """
    before, after = (round_of(views, side.run, side.round_id, side.attempt) for side in (left, right))
    found = compare(_evidence(before), _evidence(after))
    size = page_size(limit)
    seen = parts_of(cursor, _KIND, tuple[str])[0] if cursor else None
    counts = dict.fromkeys(TRANSITIONS, 0)
    listed: list[TrialPair] = []
    # Every trial is counted, whatever is listed, one after the other in constant memory.
    for pair in _pairs(views, before, after):
        counts[pair.transition] += 1
        wanted = transition in (None, pair.transition) and (seen is None or pair.trial_id > seen)
        if wanted and len(listed) <= size:
            listed.append(pair)
    following = cursor_of(_KIND, listed[size - 1].trial_id) if len(listed) > size else None
    return RoundComparison(
        left=_reviewed(views, before),
        right=_reviewed(views, after),
        matched=found.matched,
        mismatches=list(found.mismatches),
        difference=found.difference,
        transitions=Transitions(**counts),
        trials=Page(items=listed[:size], next_cursor=following),
    )


def _evidence(known: RoundRecord) -> RoundEvidence:
    return RoundEvidence(protocol=known.protocol, expected=known.expected, counts=known.counts or OutcomeCounts())


def _reviewed(views: Views, known: RoundRecord) -> ReviewedRound:
    return ReviewedRound(**msgspec.structs.asdict(shown_round(views, known)), run_id=known.run)


def _pairs(views: Views, left: RoundRecord, right: RoundRecord) -> Iterator[TrialPair]:
    """Every trial that a side reported, by id."""
    both = heapq.merge(_statuses(views, left, 0), _statuses(views, right, 1))
    for trial, reports in groupby(both, itemgetter(0)):
        statuses = {side: status for _, side, status in reports}
        one, other = statuses.get(0), statuses.get(1)
        yield TrialPair(trial_id=trial, left=one, right=other, transition=trial_transitions.transition(one, other))


def _statuses(views: Views, known: RoundRecord, side: int) -> Iterator[tuple[TrialId, int, OutcomeStatus]]:
    where = (
        Where("run", "=", known.run),
        Where("attempt", "=", known.attempt),
        Where("round_id", "=", known.round_id),
    )
    cursor: str | None = None
    while True:
        found, cursor = keyset(views.records, TRIAL, *where, size=MOST, cursor=cursor)
        for one in found:
            yield one.trial_id, side, one.status
        if cursor is None:
            return
