"""Histograms of other trackers: exact counts, within the bounds that are allowed."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tuneplane.moving.distributions import NotMapped, distribution, of_edges


def made(ends, counts):
    found = distribution("h", 1, 0.0, ends, counts)
    return found.bounds, found.counts, found.joined_from


def test_buckets_become_bounds_and_nothing_is_above_the_last():
    assert made([1.0, 2.0, 3.0], [4, 5, 6]) == ([1.0, 2.0, 3.0], [4, 5, 6, 0], 0)


def test_empty_buckets_at_the_ends_go_but_for_one_that_says_where_values_begin():
    assert made([1.0, 2.0, 3.0, 4.0, 5.0], [0, 0, 7, 0, 0]) == ([2.0, 3.0], [0, 7, 0], 0)
    assert made([1.0, 2.0], [0, 0]) == ([1.0], [0, 0], 0)


def test_sixty_five_edges_fit_into_sixty_four_bounds():
    found = of_edges("h", 1, 0.0, list(range(65)), [1] * 64)
    assert (len(found.bounds), found.counts, found.joined_from) == (64, [1] * 64 + [0], 0)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=400))
@example([1] * 130)
def test_joining_neighbours_keeps_every_count_below_each_bound_that_is_left(counts):
    ends = [float(n) for n in range(len(counts))]
    found = distribution("h", 1, 0.0, ends, counts)
    assert len(found.bounds) <= 64
    assert sum(found.counts) == sum(counts)
    for at, bound in enumerate(found.bounds):
        assert sum(found.counts[: at + 1]) == sum(counts[: int(bound) + 1])


@pytest.mark.parametrize(
    ("ends", "counts", "why"),
    [
        ([], [], "no buckets"),
        ([1.0], [1, 2], "different lengths"),
        ([1.0, 1.0], [1, 2], "do not increase"),
        ([1.0, float("nan")], [1, 2], "do not increase"),
        ([1.0, 2.0], [0.5, 1], "no whole numbers"),
        ([1.0, 2.0], [-1, 1], "no whole numbers"),
        ([1.0, 2.0], [float("inf"), 1], "no whole numbers"),
    ],
)
def test_what_is_no_histogram_of_ours_is_left_out_with_the_reason(ends, counts, why):
    with pytest.raises(NotMapped, match=why):
        distribution("h", 1, 0.0, ends, counts)
