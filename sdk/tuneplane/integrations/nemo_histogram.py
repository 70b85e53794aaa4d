"""A histogram of the values themselves, as an observation carries it."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

INTERVALS = 20
MOST_VALUES = 65_536
"""More are not counted while a training step waits."""


class Distribution(NamedTuple):
    """`counts` holds one for each interval up to a bound, and one above the last."""

    bounds: list[float]
    counts: list[int]
    invalid: int
    """Values that are not finite; they are in no interval."""


def distribution(values: Sequence[float]) -> Distribution | None:
    """Intervals of equal width from the least value to the greatest; None where no value is finite."""
    finite = [float(one) for one in values if math.isfinite(one)]
    if not finite:
        return None
    least, greatest = min(finite), max(finite)
    width = greatest / INTERVALS - least / INTERVALS
    bounds = sorted({*(least + width * at for at in range(INTERVALS)), greatest})
    counts = [0] * (len(bounds) + 1)
    for one in finite:
        counts[bisect_left(bounds, one)] += 1
    return Distribution(bounds, counts, len(values) - len(finite))
