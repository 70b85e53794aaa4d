from __future__ import annotations

from domain.benchmark import score_benchmark as scoring
from tests.domain.given import given
from tests.factories import a_benchmark_score


def test_a_score_is_recorded():
    given().when(scoring(a_benchmark_score())).then(a_benchmark_score())


def test_an_equal_score_changes_nothing():
    given(scoring(a_benchmark_score())).when(scoring(a_benchmark_score())).then(duplicates=1)


def test_a_different_score_is_the_next_version_and_so_is_the_first_one_again():
    better = a_benchmark_score(value=0.75)
    given(scoring(a_benchmark_score())).when(scoring(better), scoring(a_benchmark_score())).then(
        better, a_benchmark_score()
    )
