"""Smoothing against its definition: a weighted mean whose weights are written out."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from application.ports.series_view import Chart
from application.series.shown import shown_as
from application.series.smoothing import exponential_mean
from domain.errors import Refused


def weighted_means(values, weight):
    """Each value so far weighs `weight` to the power of how long ago it was; exact."""
    exact, result = Fraction(weight), []
    for end in range(1, len(values) + 1):
        weights = [exact ** (end - 1 - at) for at in range(end)]
        total = sum(one * Fraction(value) for one, value in zip(weights, values, strict=False))
        result.append(total / sum(weights))
    return result


@given(
    values=st.lists(st.floats(-1e6, 1e6), max_size=40),
    weight=st.one_of(st.just(0.0), st.floats(0.01, 0.999)),
)
def test_each_row_is_the_mean_of_the_rows_so_far_the_older_the_lighter(values, weight):
    found = exponential_mean(values, weight)
    assert len(found) == len(values)
    for one, expected in zip(found, weighted_means(values, weight), strict=True):
        assert one == pytest.approx(float(expected), rel=1e-9, abs=1e-6)


def test_by_hand():
    assert exponential_mean([1.0, 3.0, 2.0], 0.5) == pytest.approx([1.0, (1 + 2 * 3) / 3, (1 + 2 * 3 + 4 * 2) / 7])


def test_the_first_row_is_what_was_observed_and_no_weight_leaves_all_as_they_are():
    assert exponential_mean([5.0, 6.0], 0.9)[0] == 5.0
    assert exponential_mean([5.0, -6.0, 7.5], 0.0) == [5.0, -6.0, 7.5]
    assert exponential_mean([], 0.9) == []


@given(
    values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1),
    weight=st.floats(0, 1, exclude_max=True),
)
def test_a_mean_never_leaves_what_was_observed(values, weight):
    for end, one in enumerate(exponential_mean(values, weight), 1):
        assert min(values[:end]) <= one <= max(values[:end])


def a_chart(**columns):
    rows = {"step": [1, 2, 3], "time": [30.0, 10.0, 20.0], "mean": [1.0, 3.0, 2.0], **columns}
    same = dict.fromkeys(("min", "max", "last"), rows["mean"])
    return Chart(**rows, **same, count=[1, 1, 1], exact=True)


def test_the_mean_goes_along_the_axis_that_is_shown():
    assert shown_as("step", 0.5).of(a_chart()).smoothed == exponential_mean([1.0, 3.0, 2.0], 0.5)
    by_time = shown_as("time", 0.5).of(a_chart())
    assert (by_time.step, by_time.smoothed) == ([2, 3, 1], exponential_mean([3.0, 2.0, 1.0], 0.5))
    assert shown_as("time").of(a_chart()).smoothed is None


@pytest.mark.parametrize("weight", [-0.1, 1.0, 2.0, float("nan"), float("inf")])
def test_what_is_no_weight_is_refused(weight):
    with pytest.raises(Refused) as refused:
        shown_as("step", weight)
    assert [fault.path for fault in refused.value.faults] == ["smooth"]
