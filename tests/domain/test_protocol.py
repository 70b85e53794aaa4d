from __future__ import annotations

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.protocol import declare_protocol as declaring
from domain.rules.matched_comparison import (
    Comparison,
    RoundEvidence,
    agreement,
    compare,
    completely_scored,
    mismatches,
    shortfalls,
)
from domain.rules.outcome_counts import OutcomeCounts
from tests.domain.given import given
from tests.factories import a_protocol

DIGESTS = ("dataset_digest", "cohort_digest", "verifier_digest", "settings_digest")


def a_round(protocol=a_protocol(), expected: int | None = 2, success=1, failure=1, unscored=0) -> RoundEvidence:  # noqa: B008
    reported = success + failure + unscored
    counts = OutcomeCounts(success=success, failure=failure, unscored=unscored, reported=reported)
    return RoundEvidence(protocol=protocol, expected=expected, counts=counts)


def test_a_protocol_is_recorded():
    given().when(declaring(a_protocol())).then(a_protocol())


@pytest.mark.parametrize("field", [*DIGESTS, "split", "checkpoint"])
def test_a_round_keeps_its_first_protocol(field):
    changed = a_protocol(**{field: "0" * 64})
    given(declaring(a_protocol())).when(declaring(changed)).then(set_aside=[changed])


def test_the_same_protocol_again_changes_nothing():
    given(declaring(a_protocol())).when(declaring(a_protocol(ts=None))).then(duplicates=1)


def test_matched_complete_rounds_show_right_minus_left():
    assert compare(a_round(success=1, failure=1), a_round(success=2, failure=0)) == Comparison(
        matched=True, mismatches=(), difference=0.5
    )
    assert compare(a_round(success=2, failure=0), a_round(success=1, failure=1)).difference == -0.5


@pytest.mark.parametrize("field", DIGESTS)
def test_one_digest_that_differs_is_named_and_takes_the_difference_away(field):
    found = compare(a_round(), a_round(a_protocol(**{field: "0" * 64})))
    assert found == Comparison(matched=False, mismatches=(field,), difference=None)


@pytest.mark.parametrize("field", ["split", "checkpoint"])
def test_another_split_or_checkpoint_is_what_is_compared(field):
    assert compare(a_round(), a_round(a_protocol(**{field: "other"}))) == compare(a_round(), a_round())


@pytest.mark.parametrize("sides", [(None, a_protocol()), (a_protocol(), None), (None, None)])
def test_rounds_without_a_protocol_are_not_matched(sides):
    found = compare(*map(a_round, sides))
    assert found == Comparison(matched=False, mismatches=("protocol", *DIGESTS), difference=None)


def test_mismatches_come_in_the_order_of_the_contract():
    assert mismatches(a_protocol(), a_protocol(**dict.fromkeys(DIGESTS, "0" * 64))) == DIGESTS


@pytest.mark.parametrize(
    "incomplete",
    [
        pytest.param(a_round(expected=None), id="unknown population"),
        pytest.param(a_round(expected=3), id="a trial not reported"),
        pytest.param(a_round(expected=1), id="more trials than declared"),
        pytest.param(a_round(expected=3, unscored=1), id="an unscored trial"),
        pytest.param(a_round(expected=2, unscored=1), id="as many scored as declared, and one more"),
        pytest.param(a_round(expected=0, success=0, failure=0), id="nobody"),
    ],
)
def test_an_incomplete_side_takes_the_difference_away_and_not_the_match(incomplete):
    for found in (compare(incomplete, a_round()), compare(a_round(), incomplete)):
        assert found == Comparison(matched=True, mismatches=(), difference=None)


def test_each_digest_agrees_differs_or_is_missing():
    changed = a_protocol(cohort_digest="0" * 64)
    assert [agreement(field, a_protocol(), changed) for field in DIGESTS] == ["equal", "differs", "equal", "equal"]
    assert agreement("cohort_digest", None, changed) == agreement("cohort_digest", changed, None) == "missing"


@pytest.mark.parametrize(
    ("incomplete", "why"),
    [
        (a_round(), []),
        (a_round(expected=None), [("population_unknown", None)]),
        (a_round(expected=5), [("not_reported", 3)]),
        (a_round(expected=1), [("exceeded", 1)]),
        (a_round(expected=6, unscored=2), [("not_reported", 2), ("unscored", 2)]),
        (a_round(expected=0, success=0, failure=0), [("nothing_scored", None)]),
    ],
)
def test_why_a_round_is_not_completely_scored_is_said_with_counts(incomplete, why):
    assert [(one.kind, one.trials) for one in shortfalls(incomplete)] == why


COUNT = st.integers(0, 3)


@for_all(expected=st.none() | st.integers(0, 9), success=COUNT, failure=COUNT, unscored=COUNT, broken=COUNT)
def test_a_round_lacks_something_where_and_only_where_it_can_be_in_no_difference(
    expected, success, failure, unscored, broken
):
    counts = OutcomeCounts(
        success=success,
        failure=failure,
        unscored=unscored,
        infra_error=broken,
        reported=success + failure + unscored + broken,
    )
    side = RoundEvidence(protocol=a_protocol(), expected=expected, counts=counts)
    assert bool(shortfalls(side)) == (compare(side, a_round()).difference is None)
    assert not (completely_scored(side) and [one for one in shortfalls(side) if one.kind != "nothing_scored"])
