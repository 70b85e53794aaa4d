"""What became of each trial between two rounds: counted over all of them, and listed a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import msgspec
from tuneplane.contract import trajectory_id

from application.ports.record_pairs import Paired, Pairing
from application.ports.records import Where
from application.ports.views import Views
from application.projections.round import TRIAL, RoundRecord, TrialRecord
from application.projections.trajectory import TRAJECTORY
from application.queries.page import Page, cursor_of, page_size, parts_of
from domain.events.outcome import OutcomeStatus
from domain.ids import TrialId
from domain.rules.trial_transitions import TRANSITIONS, OutcomePair, Transition, outcomes_of, transition

_KIND = "review"


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


class OutcomeCell(msgspec.Struct, frozen=True, kw_only=True):
    """How many trials have one outcome on the left and one on the right."""

    left: OutcomeStatus | None
    """None: this side never reported them."""
    right: OutcomeStatus | None
    trials: int


class TrialPair(msgspec.Struct, frozen=True, kw_only=True):
    """One trial on both sides."""

    trial_id: TrialId
    left: OutcomeStatus | None
    """Its current outcome; None where this side never reported it."""
    right: OutcomeStatus | None
    transition: Transition
    left_trial_attempt: int | None
    """Whose outcome that is, from 0; None as above."""
    right_trial_attempt: int | None
    left_attempts: int | None
    """Trial attempts reported; None as above."""
    right_attempts: int | None
    left_trajectory_id: str | None
    """Of that trial attempt, kept or not; None where none was sent. Missing text is no failed trial."""
    right_trajectory_id: str | None


class ComparedTrials(msgspec.Struct, frozen=True, kw_only=True):
    transitions: Transitions
    outcomes: list[OutcomeCell]
    """Every pair of outcomes that is there."""
    page: Page[TrialPair]


class _Half(msgspec.Struct, frozen=True, kw_only=True):
    """One side of one trial."""

    attempt: int | None = None
    attempts: int | None = None
    trajectory: str | None = None


def compared_trials(
    views: Views,
    left: RoundRecord,
    right: RoundRecord,
    *,
    wanted: Transition | None,
    limit: int | None,
    cursor: str | None,
) -> ComparedTrials:
    """Every trial is counted, whatever is listed. Raises `Refused` for a cursor of another list."""
    size = page_size(limit)
    found = views.records.pairs(
        TRIAL,
        Pairing(left=_of(left), right=_of(right), by="trial_id", of="status"),
        among=None if wanted is None else outcomes_of(wanted),
        after=parts_of(cursor, _KIND, tuple[str])[0] if cursor else None,
        limit=size + 1,
    )
    listed = [TrialId(str(one.by)) for one in found.items]
    following = cursor_of(_KIND, listed[size - 1]) if len(listed) > size else None
    cells = _cells(found)
    return ComparedTrials(
        transitions=_counted(cells),
        outcomes=cells,
        page=Page(items=_listed(views, left, right, found, listed[:size]), next_cursor=following),
    )


def _cells(found: Paired) -> list[OutcomeCell]:
    # What is compared is the field `status`, whose values these are.
    counted = cast("dict[OutcomePair, int]", found.counts)
    ordered = sorted(counted.items(), key=lambda cell: (cell[0][0] or "", cell[0][1] or ""))
    return [OutcomeCell(left=left, right=right, trials=trials) for (left, right), trials in ordered]


def _counted(cells: Sequence[OutcomeCell]) -> Transitions:
    counts = dict.fromkeys(TRANSITIONS, 0)
    for cell in cells:
        counts[transition(cell.left, cell.right)] += cell.trials
    return Transitions(**counts)


def _listed(
    views: Views, left: RoundRecord, right: RoundRecord, found: Paired, trials: Sequence[TrialId]
) -> list[TrialPair]:
    sides = [_halves(views, side, trials) for side in (left, right)]
    items: list[TrialPair] = []
    for trial, pair in zip(trials, found.items, strict=False):
        before, after = cast("OutcomePair", (pair.left, pair.right))
        one, other = (side.get(trial, _Half()) for side in sides)
        items.append(
            TrialPair(
                trial_id=trial,
                left=before,
                right=after,
                transition=transition(before, after),
                left_trial_attempt=one.attempt,
                right_trial_attempt=other.attempt,
                left_attempts=one.attempts,
                right_attempts=other.attempts,
                left_trajectory_id=one.trajectory,
                right_trajectory_id=other.trajectory,
            )
        )
    return items


def _halves(views: Views, side: RoundRecord, trials: Sequence[TrialId]) -> dict[TrialId, _Half]:
    if not trials:
        return {}
    known = views.records.find(TRIAL, *_of(side), Where("trial_id", "in", tuple(trials)))
    named = {one.trial_id: _trajectory(one) for one in known}
    of_attempt = Where("run", "=", side.run), Where("attempt", "=", side.attempt)
    sent = views.records.find(TRAJECTORY, *of_attempt, Where("trajectory_id", "in", tuple(named.values())))
    ids = {one.trajectory_id for one in sent}
    return {
        one.trial_id: _Half(
            attempt=one.outcome.trial_attempt,
            attempts=one.attempts,
            trajectory=named[one.trial_id] if named[one.trial_id] in ids else None,
        )
        for one in known
    }


def _trajectory(record: TrialRecord) -> str:
    return trajectory_id("validation", record.round_id, record.trial_id, record.outcome.trial_attempt)


def _of(known: RoundRecord) -> tuple[Where, Where, Where]:
    return Where("run", "=", known.run), Where("attempt", "=", known.attempt), Where("round_id", "=", known.round_id)
