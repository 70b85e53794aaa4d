from __future__ import annotations

import pytest

from domain.protocol import declare_protocol as declaring
from domain.rules.matched_comparison import Comparison, RoundEvidence, compare, mismatches
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
