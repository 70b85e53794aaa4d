"""What became of each trial from one round to another. Observed transitions, no statistical proof.

Source: SPEC "select matching evaluation rounds to inspect failure-to-success, success-to-failure and missing-result
counts", RULINGS "`missing_left` = reported on the right alone".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from domain.events.outcome import OutcomeStatus

Transition = Literal[
    "failure_to_success",
    "success_to_failure",
    "both_success",
    "both_failure",
    "missing_left",
    "missing_right",
    "not_scored",
]
TRANSITIONS: tuple[Transition, ...] = get_args(Transition)
OutcomePair = tuple[OutcomeStatus | None, OutcomeStatus | None]
"""The current outcomes of one trial, left and right; None where that side has not reported it."""

_SCORED: dict[tuple[OutcomeStatus, OutcomeStatus], Transition] = {
    ("failure", "success"): "failure_to_success",
    ("success", "failure"): "success_to_failure",
    ("success", "success"): "both_success",
    ("failure", "failure"): "both_failure",
}


def transition(left: OutcomeStatus | None, right: OutcomeStatus | None) -> Transition:
    """What happened to one trial, by its current outcome on each side; None where that side has not reported it.

    A trial reported on one side alone is missing on the other, whatever was reported. ValueError where neither
    side reported it: then there is no such trial.
    """
    if left is None and right is None:
        message = "a trial is reported on one side at least"
        raise ValueError(message)
    if left is None:
        return "missing_left"
    if right is None:
        return "missing_right"
    return _SCORED.get((left, right), "not_scored")


def outcomes_of(wanted: Transition) -> list[OutcomePair]:
    """Every pair of outcomes that makes a transition: what to look for where trials are chosen by it."""
    outcomes: tuple[OutcomeStatus | None, ...] = (*get_args(OutcomeStatus), None)
    pairs = [(left, right) for left in outcomes for right in outcomes if (left, right) != (None, None)]
    return [(left, right) for left, right in pairs if transition(left, right) == wanted]


def transitions(left: Mapping[str, OutcomeStatus], right: Mapping[str, OutcomeStatus]) -> dict[Transition, int]:
    """How many trials made each transition, all of them named, from trial id -> current outcome of both sides."""
    counts = dict.fromkeys(TRANSITIONS, 0)
    for trial in left.keys() | right.keys():
        counts[transition(left.get(trial), right.get(trial))] += 1
    return counts
