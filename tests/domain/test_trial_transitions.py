from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.events.outcome import OutcomeStatus
from domain.rules.trial_transitions import TRANSITIONS, outcomes_of, transition, transitions

STATUSES: tuple[OutcomeStatus, ...] = ("success", "failure", "infra_error", "unscored")


@pytest.mark.parametrize(
    ("left", "right", "name"),
    [
        ("failure", "success", "failure_to_success"),
        ("success", "failure", "success_to_failure"),
        ("success", "success", "both_success"),
        ("failure", "failure", "both_failure"),
        (None, "success", "missing_left"),
        (None, "infra_error", "missing_left"),
        ("failure", None, "missing_right"),
        ("unscored", None, "missing_right"),
        ("infra_error", "success", "not_scored"),
        ("failure", "unscored", "not_scored"),
        ("unscored", "unscored", "not_scored"),
    ],
)
def test_each_pair_of_outcomes_has_a_name(left, right, name):
    assert transition(left, right) == name


def test_a_trial_that_neither_side_reported_is_none():
    with pytest.raises(ValueError, match="one side"):
        transition(None, None)


def test_every_transition_is_counted_and_those_nobody_made_are_0():
    found = transitions({"a": "failure", "b": "success"}, {"a": "success", "c": "unscored"})
    assert found == {
        "failure_to_success": 1,
        "success_to_failure": 0,
        "both_success": 0,
        "both_failure": 0,
        "missing_left": 1,
        "missing_right": 1,
        "not_scored": 0,
    }
    assert tuple(transitions({}, {})) == TRANSITIONS


def test_each_pair_of_outcomes_is_looked_for_under_its_transition_alone():
    found = [(name, pair) for name in TRANSITIONS for pair in outcomes_of(name)]
    assert len({pair for _, pair in found}) == len(found) == 5 * 5 - 1
    assert all(transition(*pair) == name for name, pair in found)
    assert outcomes_of("success_to_failure") == [("success", "failure")]


SIDE = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(STATUSES))


@for_all(SIDE, SIDE)
def test_every_trial_of_either_side_is_counted_once_and_sides_mirror(left, right):
    found, mirrored = transitions(left, right), transitions(right, left)
    assert sum(found.values()) == len({*left, *right})
    assert Counter(found) == Counter(
        {
            "failure_to_success": mirrored["success_to_failure"],
            "success_to_failure": mirrored["failure_to_success"],
            "missing_left": mirrored["missing_right"],
            "missing_right": mirrored["missing_left"],
            **{name: mirrored[name] for name in ("both_success", "both_failure", "not_scored")},
        }
    )
