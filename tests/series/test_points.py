"""The numpy forms against the rules they are forms of."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from application.series.chart import chart_of_points, chart_of_rows
from application.series.columns import Batch, starts_of
from application.series.lineage import Stretch, stretches
from application.series.merge import Points, merged, overlaid
from application.series.spans import CELL, CELL_POINTS, SUMMARY, combined, pieces, spans
from application.series.summary import summary_rows
from domain.ids import Attempt
from domain.rules.series_summary import summary
from tests.series.model import check_chart
from tests.series.reports import a_ramp
from tests.series.test_columns import a_batch

_VALUES = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([5e-324, 1.7e308, -1.7e308, 0.0, -0.0])
)
_POINTS = st.lists(st.tuples(st.integers(0, 9), _VALUES, st.integers(0, 99)), min_size=1, max_size=6)
_BATCHES = st.lists(st.lists(st.tuples(st.integers(1, 4), _POINTS), max_size=5), max_size=5)


def a_batch_of(segments) -> Batch:
    return a_batch(
        *(
            (number, [step for step, _, _ in points], [time for *_, time in points], [value for _, value, _ in points])
            for number, points in segments
        )
    )


def columns_of(points) -> Points:
    steps, values, times = zip(*points, strict=True)
    return Points(np.array(steps), np.array(times), np.array(values))


@given(_BATCHES)
def test_merging_keeps_the_later_point_of_each_step_as_the_rule_says(batches):
    whole = merged([a_batch_of(one) for one in batches])

    reported: dict[int, list] = {}
    for batch in batches:
        for number, points in batch:
            reported.setdefault(number, []).extend(points)
    assert whole.numbers.tolist() == sorted(reported)
    for row, number, start, count in zip(
        summary_rows(whole), sorted(reported), starts_of(whole.counts), whole.counts, strict=True
    ):
        known = summary(reported[number])
        standing = {step: (value, time) for step, value, time in reported[number]}
        part = slice(start, start + count)
        assert whole.steps[part].tolist() == sorted(standing)
        assert list(zip(whole.values[part].tolist(), whole.times[part].tolist(), strict=True)) == [
            standing[step] for step in sorted(standing)
        ]
        assert (row["count"], row["min"], row["max"], row["first"], row["last"]) == (
            (known.count, known.min, known.max, known.first, known.last)
        )
        assert (row["step"], row["last_step"], row["last_at"]) == (known.first_step, known.last_step, known.last_at)
        assert abs(row["mean"] - known.mean) <= 1e-15 * count * max(abs(known.min), abs(known.max)) + 1e-320


@given(st.lists(_VALUES, min_size=1, max_size=300), st.integers(1, 70))
def test_rows_of_rows_are_rows_of_points(values, size):
    steps = np.arange(len(values))
    columns = steps, steps * 7, np.array(values)
    starts, _ = pieces(np.array([len(values)]), size)
    direct = spans(SUMMARY, *columns, np.zeros(1, np.int64))[0]
    by_rows = combined(spans(SUMMARY, *columns, starts), np.zeros(1, np.int64))[0]

    for name in SUMMARY.names:
        if name != "mean":
            assert direct[name] == by_rows[name]
    assert abs(direct["mean"] - by_rows["mean"]) <= 1e-13 * np.abs(columns[2]).max() + 1e-320


def test_a_mean_does_not_overflow_where_the_sum_does():
    largest = float(np.finfo(np.float64).max)
    values = np.array([largest] * 100 + [-largest] * 50)
    steps = np.arange(150)

    assert spans(SUMMARY, steps, steps, values, np.array([0, 100]))["mean"].tolist() == [largest, -largest]
    assert abs(spans(SUMMARY, steps, steps, values, np.zeros(1, np.int64))["mean"][0] / largest - 1 / 3) < 1e-12


@given(st.integers(1, 700), st.integers(1, 400))
def test_a_chart_of_points_and_one_of_their_cells_both_tell_the_truth(count, buckets):
    points = a_ramp(3, count, stride=2)
    columns = columns_of(points)
    check_chart(chart_of_points(columns, buckets), points, buckets)
    starts, _ = pieces(np.array([count]), CELL_POINTS)
    of_cells = chart_of_rows(spans(CELL, columns.steps, columns.times, columns.values, starts), buckets)
    assert len(of_cells.step) == min(buckets, len(starts))
    assert sum(of_cells.count) == count
    if count > buckets:
        check_chart(of_cells, points, buckets)


def test_later_parts_win_a_step():
    whole = overlaid([columns_of([(1, 1.0, 1), (3, 3.0, 3)]), columns_of([(0, 0.5, 0), (3, 4.0, 4)])])

    assert (whole.steps.tolist(), whole.values.tolist()) == ([0, 1, 3], [0.5, 1.0, 4.0])


def test_the_lineage_of_three_attempts():
    top = 2**63 - 1
    zero, one, two = map(Attempt, range(3))
    firsts = {zero: 0, one: 50, two: 20}

    assert stretches(firsts, None) == [Stretch(zero, 0, 19), Stretch(two, 0, top)]
    assert stretches(firsts, one) == [Stretch(one, 0, top)]
    assert stretches(firsts, Attempt(3)) == []
    assert stretches(firsts, None, 19, 20) == [Stretch(zero, 19, 19), Stretch(two, 19, 20)]
    assert stretches(firsts, None, 20, 2**70) == [Stretch(two, 20, top)]
    assert stretches(firsts, None, -5, 10) == [Stretch(zero, 0, 10)]
    assert stretches(firsts, None, 9, 8) == []
