"""One series in numbers, and when the chunks that hold it are merged.

The reference for the set-based forms in the adapters: a test compares them. Source: RULINGS "Reading" (`count` counts
distinct steps, `last` is the value at the greatest step), DESIGN "Scalars".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import msgspec

CHUNK_POINTS = 4096
"""A chunk of so many points or more is full and is never merged again."""
_FAN = 8
_TIERS = (8, 64, 512)


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A series of at least one point."""

    count: int
    """Distinct steps."""
    min: float
    max: float
    mean: float
    first: float
    """Value at the smallest step."""
    last: float
    """Value at the greatest step."""
    first_step: int
    last_step: int
    last_at: int
    """Time of the point at the greatest step, microseconds since the epoch."""


def summary(points: Iterable[tuple[int, float, int]]) -> Summary | None:
    """The summary of (step, value, time) points in order of position: the later one wins a step. None: no points."""
    standing = {step: (value, time) for step, value, time in points}
    if not standing:
        return None
    values = [value for value, _ in standing.values()]
    first_step, last_step = min(standing), max(standing)
    last, last_at = standing[last_step]
    return Summary(
        count=len(values),
        min=min(values),
        max=max(values),
        mean=_mean(values),
        first=standing[first_step][0],
        last=last,
        first_step=first_step,
        last_step=last_step,
        last_at=last_at,
    )


def merge_plan(trailing: Sequence[int], new: int) -> int:
    """How many of the last of the `trailing` chunks a compaction of `new` points behind them takes in.

    `trailing`: points of each chunk that is not full, oldest first. All of them where a full chunk comes of it.
    Otherwise eight of a size make one of the next, so that a point is rewritten once a tier, not once a compaction:
    twice where compactions bring 64 points or more, and four times where they bring one.
    """
    if sum(trailing) + new >= CHUNK_POINTS:
        return len(trailing)
    taken = 0
    for ceiling in _TIERS:
        if new >= ceiling:
            continue
        run = _run_below(ceiling, trailing[: len(trailing) - taken])
        if run < _FAN - 1:
            break
        new += sum(trailing[len(trailing) - taken - run : len(trailing) - taken])
        taken += run
    return taken


def _run_below(ceiling: int, sizes: Sequence[int]) -> int:
    """How many chunks at the end are smaller than `ceiling`."""
    run = 0
    for size in reversed(sizes):
        if size >= ceiling:
            break
        run += 1
    return run


def _mean(values: Sequence[float]) -> float:
    try:
        return math.fsum(values) / len(values)
    except OverflowError:  # the sum of finite values may be none, their mean always is
        return float(sum(map(Fraction, values)) / len(values))
