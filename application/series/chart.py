"""Charts: points as they are where they fit, else rows of `spans` made into at most so many buckets.

A bucket is made of whole rows, so that nothing has to be decoded for its borders.
"""

from __future__ import annotations

import numpy as np

from application.ports.series_view import Chart
from application.series.columns import Ints
from application.series.merge import Points
from application.series.spans import CELL, Rows, combined, spans


def chart_of_points(points: Points, buckets: int) -> Chart:
    """The points themselves where there are at most `buckets`."""
    if len(points) <= buckets:
        return _exact(points)
    edges = _edges(len(points), buckets)
    return _chart(spans(CELL, points.steps, points.times, points.values, edges))


def chart_of_rows(rows: Rows, buckets: int) -> Chart:
    """At most `buckets` buckets of `CELL` rows, which lie behind each other in order of step."""
    return _chart(rows if len(rows) <= buckets else combined(rows, _edges(len(rows), buckets)))


def _edges(rows: int, buckets: int) -> Ints:
    """Where `buckets` (fewer than `rows`) begin, as even as whole rows allow."""
    return np.arange(buckets) * rows // buckets


def _exact(points: Points) -> Chart:
    values = points.values.tolist()
    return Chart(
        step=points.steps.tolist(),
        time=(points.times / 1e6).tolist(),
        min=values,
        max=values,
        mean=values,
        last=values,
        count=[1] * len(values),
        exact=True,
    )


def _chart(rows: Rows) -> Chart:
    return Chart(
        step=rows["step"].tolist(),
        time=(rows["time"] / 1e6).tolist(),
        min=rows["min"].tolist(),
        max=rows["max"].tolist(),
        mean=rows["mean"].tolist(),
        last=rows["last"].tolist(),
        count=rows["count"].tolist(),
        exact=False,
    )
