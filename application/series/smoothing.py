"""Smoothing: an exponential mean over the rows of a chart, each row counting once.

s = weight * s + (1 - weight) * value, from s = 0, divided by 1 - weight^n after n rows, so that the first rows are no
nearer to zero than what was observed. Rows are what was observed, points or buckets: nothing is filled in between
them, and the distance of their steps does not count. Which row is which depends on the chart: another range or another
number of buckets smooths other rows, beginning anew at the first.
"""

from __future__ import annotations

from collections.abc import Sequence


def exponential_mean(values: Sequence[float], weight: float) -> list[float]:
    """One mean a value, in their order; `weight` in [0, 1), where 0 leaves them as they are.

    A mean lies between the least and the greatest of the values so far, however rounding falls out.
    """
    result: list[float] = []
    smoothed, rest = 0.0, 1.0
    least = greatest = values[0] if values else 0.0
    for value in values:
        least, greatest = min(least, value), max(greatest, value)
        smoothed = weight * smoothed + (1 - weight) * value
        rest *= weight
        result.append(min(max(smoothed / (1 - rest), least), greatest))
    return result
