"""Summaries of series, from rows of `spans` and counts of what was not finite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from application.ports.series_view import InvalidCounts, SeriesSummary
from application.series.columns import Batch, starts_of
from application.series.lineage import Stretch
from application.series.spans import SUMMARY, Rows, combined, spans, stacked
from domain.events.series import InvalidPoint

_FIELDS = {
    "count": "count",
    "min": "min",
    "max": "max",
    "mean": "mean",
    "first": "first",
    "last": "last",
    "first_step": "step",
    "last_step": "last_step",
    "last_at": "last_at",
}
"""Field of a summary -> field of its row."""
_STATISTICS = [name for name in _FIELDS if name != "count"]


def summary_rows(batch: Batch) -> Rows:
    """A `SUMMARY` row for each series of a merged batch."""
    if not len(batch.steps):
        return np.empty(0, SUMMARY)
    return spans(SUMMARY, batch.steps, batch.times, batch.values, starts_of(batch.counts))


def series_summaries(
    keys: Sequence[str], parts: Sequence[Sequence[Rows]], invalid: Sequence[InvalidCounts]
) -> list[SeriesSummary]:
    """A summary for each of `keys`; `parts` of each are arrays of `SUMMARY` rows in order of step, or none."""
    sizes = np.array([sum(map(len, each)) for each in parts], np.int64)
    rows = stacked(SUMMARY, (one for each in parts for one in each))
    whole = combined(rows, starts_of(sizes[sizes > 0])) if len(rows) else rows
    known = iter(zip(*(whole[name].tolist() for name in _FIELDS.values()), strict=True))
    return [
        SeriesSummary(key=key, invalid=counts, **dict(zip(_FIELDS, next(known), strict=True)))
        if size
        else SeriesSummary(key=key, invalid=counts, count=0, **dict.fromkeys(_STATISTICS))
        for key, counts, size in zip(keys, invalid, sizes.tolist(), strict=True)
    ]


def invalid_counts(points: Iterable[InvalidPoint]) -> InvalidCounts:
    """The measurements counted: reports, not steps."""
    kinds = {"nan": 0, "pos_inf": 0, "neg_inf": 0}
    first: int | None = None
    for point in points:
        kinds[point.kind] += 1
        first = point.step if first is None else min(first, point.step)
    return InvalidCounts(nan=kinds["nan"], pos_inf=kinds["pos_inf"], neg_inf=kinds["neg_inf"], first_step=first)


def added(one: InvalidCounts, other: InvalidCounts) -> InvalidCounts:
    """Both together."""
    if other.first_step is None:
        return one
    if one.first_step is None:
        return other
    return InvalidCounts(
        nan=one.nan + other.nan,
        pos_inf=one.pos_inf + other.pos_inf,
        neg_inf=one.neg_inf + other.neg_inf,
        first_step=min(one.first_step, other.first_step),
    )


def surviving_invalid(reported: Sequence[tuple[InvalidCounts, Stretch]]) -> InvalidCounts:
    """What the stretches of a series hold that was not finite.

    Counts are kept by attempt, not by step: an attempt's count whole, unless the first of them is behind its stretch.
    """
    total = InvalidCounts()
    for counts, stretch in reported:
        if counts.first_step is not None and counts.first_step <= stretch.high:
            total = added(total, counts)
    return total
