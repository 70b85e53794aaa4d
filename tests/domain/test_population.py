from __future__ import annotations

from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.population import declare_population as declaring
from domain.rules.scoring_coverage import not_reported, population_state, scoring_coverage
from domain.rules.success_rate import success_rate
from tests.domain.given import given
from tests.factories import a_population

FEW = st.integers(0, 6)


def test_a_population_is_recorded():
    given().when(declaring(a_population(5))).then(a_population(5))


def test_another_population_of_the_round_is_set_aside():
    given(declaring(a_population(5))).when(declaring(a_population(9))).then(set_aside=[a_population(9)])


def test_the_same_population_again_changes_nothing():
    given(declaring(a_population(5))).when(declaring(a_population(5, ts="2027-01-01T00:00:00Z"))).then(duplicates=1)


def test_the_rate_is_of_what_was_scored_alone():
    assert success_rate(success=3, failure=1) == 0.75
    assert success_rate(success=0, failure=4) == 0
    assert success_rate(success=2, failure=0) == 1


def test_nothing_scored_has_no_rate():
    assert success_rate(success=0, failure=0) is None


def test_a_population_is_declared_up_to_its_size_and_exceeded_beyond():
    assert population_state(None, 0) == "unknown"
    assert population_state(2, 1) == "declared"
    assert population_state(2, 2) == "declared"
    assert population_state(2, 3) == "exceeded"
    assert population_state(0, 0) == "declared"
    assert population_state(0, 1) == "exceeded"


def test_coverage_is_scored_over_planned():
    assert scoring_coverage(expected=5, reported=4, success=1, failure=1) == 0.4
    assert scoring_coverage(expected=2, reported=2, success=1, failure=1) == 1
    assert scoring_coverage(expected=2, reported=1, success=0, failure=0) == 0


def test_there_is_no_coverage_of_an_unknown_exceeded_or_empty_population():
    assert scoring_coverage(expected=None, reported=4, success=1, failure=1) is None
    assert scoring_coverage(expected=1, reported=2, success=1, failure=1) is None
    assert scoring_coverage(expected=0, reported=0, success=0, failure=0) is None


def test_what_is_not_reported_is_known_only_where_the_plan_is_sound():
    assert not_reported(expected=5, reported=4) == 1
    assert not_reported(expected=5, reported=5) == 0
    assert not_reported(expected=4, reported=5) is None
    assert not_reported(expected=None, reported=5) is None


@for_all(st.none() | FEW, FEW, FEW, FEW)
def test_no_percentage_is_ever_out_of_range_or_made_up(expected, success, failure, others):
    reported = success + failure + others
    coverage, rate = scoring_coverage(expected, reported, success, failure), success_rate(success, failure)
    sound = expected is not None and expected > 0 and reported <= expected
    assert coverage == ((success + failure) / expected if sound else None)
    assert (rate is None) == (success == failure == 0)
    assert all(value is None or 0 <= value <= 1 for value in (coverage, rate))
    left = not_reported(expected, reported)
    assert left is None or left + reported == expected
