"""Two evaluation rounds side by side: whether they may be compared, and what became of each trial.

Transitions are observed; neither they nor a difference are statistical proof, and nobody certifies the protocols.
"""

from __future__ import annotations

import msgspec
from tuneplane.contract import DIGEST_FIELDS

from application.ports.views import Views
from application.projections.round import RoundRecord
from application.queries.page import Page
from application.queries.review_trials import OutcomeCell, Transitions, TrialPair, compared_trials
from application.queries.round import Round, round_of, shown_round
from domain.errors import Refused
from domain.events.protocol import ProtocolDeclared
from domain.ids import RoundId, RunId
from domain.rules.matched_comparison import Agreement, RoundEvidence, Shortfall, agreement, compare, shortfalls
from domain.rules.outcome_counts import OutcomeCounts
from domain.rules.trial_transitions import Transition


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """Which round stands on one side."""

    run: RunId
    round_id: RoundId
    attempt: int | None = None
    """None: the highest that reported the round."""


class ReviewedRound(Round, frozen=True, kw_only=True):
    run_id: RunId
    shortfalls: list[Shortfall]
    """Why it is not completely scored; empty where it is."""


class ReviewedDigest(msgspec.Struct, frozen=True, kw_only=True):
    """One digest as both producers declare it; nobody certifies it."""

    field: str
    left: str | None
    """None where this side declared no protocol."""
    right: str | None
    agreement: Agreement


class RoundComparison(msgspec.Struct, frozen=True, kw_only=True):
    left: ReviewedRound
    right: ReviewedRound
    matched: bool
    """The four digests are the same, as the producers declare them."""
    mismatches: list[str]
    """Digests that differ or are missing; `protocol` where a side declared none."""
    digests: list[ReviewedDigest]
    """The four of them."""
    difference: float | None
    """Right minus left success rate; None unless both rounds are matched and completely scored."""
    transitions: Transitions
    outcomes: list[OutcomeCell]
    """Every pair of outcomes that is there, with its trials."""
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
    trials = compared_trials(views, before, after, wanted=transition, limit=limit, cursor=cursor)
    return RoundComparison(
        left=_reviewed(views, before),
        right=_reviewed(views, after),
        matched=found.matched,
        mismatches=list(found.mismatches),
        digests=[_digest(field, before.protocol, after.protocol) for field in DIGEST_FIELDS],
        difference=found.difference,
        transitions=trials.transitions,
        outcomes=trials.outcomes,
        trials=trials.page,
    )


def _evidence(known: RoundRecord) -> RoundEvidence:
    return RoundEvidence(protocol=known.protocol, expected=known.expected, counts=known.counts or OutcomeCounts())


def _reviewed(views: Views, known: RoundRecord) -> ReviewedRound:
    return ReviewedRound(
        **msgspec.structs.asdict(shown_round(views, known)),
        run_id=known.run,
        shortfalls=list(shortfalls(_evidence(known))),
    )


def _digest(field: str, left: ProtocolDeclared | None, right: ProtocolDeclared | None) -> ReviewedDigest:
    return ReviewedDigest(
        field=field,
        left=getattr(left, field, None),
        right=getattr(right, field, None),
        agreement=agreement(field, left, right),
    )
