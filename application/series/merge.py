"""Points of several batches as one: by series and step, where the later batch wins a step.

The set-based form of `domain/rules/series_summary` ("the later one wins a step"); a test compares both.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from application.series.columns import Batch, Floats, Ints, concatenate, empty_batch, starts_of


class Points(msgspec.Struct, frozen=True):
    """Points of one series, steps strictly increasing."""

    steps: Ints
    times: Ints
    """Microseconds since the epoch."""
    values: Floats

    def __len__(self) -> int:
        return len(self.steps)


NO_POINTS = Points(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))


def merged(batches: Sequence[Batch]) -> Batch:
    """One batch: numbers strictly increasing, steps of a series strictly increasing."""
    batch = concatenate(batches)
    if not len(batch.steps):
        return empty_batch()
    batch = _gathered(batch)
    if _increasing(batch):
        return batch
    owner = np.repeat(batch.numbers, batch.counts)
    order = np.lexsort((batch.steps, owner))  # stable: of equal steps the later one stays behind
    steps = batch.steps[order]
    wins = np.append((owner[1:] != owner[:-1]) | (steps[1:] != steps[:-1]), True)
    order = order[wins]
    return Batch(
        numbers=batch.numbers,
        counts=np.add.reduceat(wins, starts_of(batch.counts), dtype=np.int64),
        steps=batch.steps[order],
        times=batch.times[order],
        values=batch.values[order],
    )


def overlaid(parts: Sequence[Points]) -> Points:
    """One series of several parts; a later part, and a later point of a part, wins a step."""
    if not parts:
        return NO_POINTS
    steps = np.concatenate([part.steps for part in parts])
    times = np.concatenate([part.times for part in parts])
    values = np.concatenate([part.values for part in parts])
    if (steps[1:] > steps[:-1]).all():
        return Points(steps, times, values)
    order = np.argsort(steps, kind="stable")
    order = order[np.append(steps[order][1:] != steps[order][:-1], True)]
    return Points(steps[order], times[order], values[order])


def between(points: Points, low: int, high: int) -> Points:
    """The points with low <= step <= high."""
    start = int(np.searchsorted(points.steps, low, "left"))
    end = int(np.searchsorted(points.steps, high, "right"))
    return points if end - start == len(points) else cut(points, start, end)


def cut(points: Points, start: int, end: int) -> Points:
    """The points [start, end)."""
    return Points(points.steps[start:end], points.times[start:end], points.values[start:end])


def _gathered(batch: Batch) -> Batch:
    """Each series once, by number, its segments in the order they came."""
    if (batch.numbers[1:] > batch.numbers[:-1]).all():
        return batch
    segments = np.argsort(batch.numbers, kind="stable")
    counts, numbers = batch.counts[segments], batch.numbers[segments]
    order = np.repeat(starts_of(batch.counts)[segments] - starts_of(counts), counts)
    order += np.arange(len(order))
    first = np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1]))
    return Batch(
        numbers=numbers[first],
        counts=np.add.reduceat(counts, first),
        steps=batch.steps[order],
        times=batch.times[order],
        values=batch.values[order],
    )


def _increasing(batch: Batch) -> bool:
    rises = batch.steps[1:] > batch.steps[:-1]
    rises[starts_of(batch.counts)[1:] - 1] = True
    return bool(rises.all())
