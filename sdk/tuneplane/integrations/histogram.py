"""A histogram of numbers at hand, within the limits of an observation."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

_MOST_BOUNDS = 32


def histogram(numbers: Sequence[float]) -> tuple[list[float], list[int]]:
    """Bounds and counts of finite numbers, at least one: a count for each interval `(below, bound]`, and one above.

    Few different numbers are bounds themselves, so that each has its own count; of many, 32 equally spaced bounds
    reach from the smallest to the greatest. The last count is 0, since nothing lies above the greatest number.
    """
    different = sorted(set(numbers))
    if len(different) > _MOST_BOUNDS:
        low, high = different[0], different[-1]
        step = high / (_MOST_BOUNDS - 1) - low / (_MOST_BOUNDS - 1)
        between = sorted({low + step * at for at in range(1, _MOST_BOUNDS - 1)} - {low, high})
        different = [low, *(one for one in between if low < one < high), high]
    counts = [0] * (len(different) + 1)
    for number in numbers:
        counts[bisect_left(different, number)] += 1
    return different, counts
