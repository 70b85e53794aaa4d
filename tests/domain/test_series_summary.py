from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.rules.series_summary import Summary, merge_plan, summary

FINITE = st.floats(allow_nan=False, allow_infinity=False)
POINTS = st.lists(st.tuples(st.integers(0, 9), FINITE, st.integers(0, 99)), max_size=20)


def test_no_points_have_no_summary():
    assert summary([]) is None


def test_a_series_in_numbers():
    assert summary([(5, 2.0, 50), (1, 4.0, 10), (3, 0.0, 30)]) == Summary(
        count=3, min=0.0, max=4.0, mean=2.0, first=4.0, last=2.0, first_step=1, last_step=5, last_at=50
    )


def test_a_corrected_step_counts_once_with_its_later_value():
    assert summary([(1, -9.0, 10), (2, 8.0, 20), (2, 6.0, 90), (1, 4.0, 5)]) == Summary(
        count=2, min=4.0, max=6.0, mean=5.0, first=4.0, last=6.0, first_step=1, last_step=2, last_at=90
    )


def test_the_mean_of_huge_values_is_finite():
    largest = 1.7e308
    found = summary([(step, largest, 0) for step in range(4)])
    assert found is not None
    assert math.isclose(found.mean, largest)


@for_all(POINTS)
def test_a_summary_is_that_of_the_latest_point_of_each_step(points):
    latest = {step: point for step, *point in points}
    found = summary(points)
    if found is None:
        assert points == []
        return
    values = [latest[step][0] for step in sorted(latest)]
    assert (found.count, found.first_step, found.last_step) == (len(latest), min(latest), max(latest))
    assert (found.first, found.last, found.last_at) == (values[0], values[-1], latest[max(latest)][1])
    assert (found.min, found.max) == (min(values), max(values))
    exact = sum(map(Fraction, values)) / len(values)
    assert math.isclose(found.mean, float(exact), rel_tol=1e-12, abs_tol=1e-300)


def test_a_full_chunk_takes_in_all():
    assert merge_plan([4000, 90], 6) == 2
    assert merge_plan([4000, 90], 5) == 0
    assert merge_plan([], 4096) == 0


def test_eight_of_a_size_become_one():
    assert merge_plan([100] * 6, 100) == 0
    assert merge_plan([100] * 7, 100) == 7
    assert merge_plan([1] * 7, 1) == 7
    assert merge_plan([1] * 6, 1) == 0


def test_larger_chunks_before_them_stay():
    assert merge_plan([2000, *[100] * 7], 100) == 7
    assert merge_plan([2000, 800, 100], 100) == 0


def test_a_merge_may_fill_the_next_size_too():
    assert merge_plan([*[64] * 7, *[8] * 7, *[1] * 7], 1) == 21
    assert merge_plan([*[64] * 6, *[8] * 7, *[1] * 7], 1) == 14
    assert merge_plan([*[64] * 7, *[8] * 7, *[1] * 6], 1) == 0


def test_a_large_compaction_takes_in_small_ones():
    assert merge_plan([*[1] * 3, *[100] * 4], 500) == 7
    assert merge_plan([1] * 7, 600) == 0


@pytest.mark.parametrize(("new", "rewrites", "chunks"), [(1, 4, 28), (10, 3, 20), (64, 2, 14), (300, 2, 14)])
def test_a_point_is_rewritten_a_few_times_before_its_chunk_is_full(new, rewrites, chunks):
    trailing: list[int] = []
    compactions = rewritten = most = full = 0
    while full < 5:
        compactions += 1
        taken = merge_plan(trailing, new)
        merged = trailing[len(trailing) - taken :]
        rewritten += sum(merged)
        trailing = [*trailing[: len(trailing) - taken], sum(merged) + new]
        if trailing[-1] >= 4096:
            assert len(trailing) == 1
            trailing, full = [], full + 1
        most = max(most, len(trailing))
    assert rewritten / (compactions * new) <= rewrites
    assert most <= chunks
