"""Consecutive points of a series in a row of numbers: cells, summaries, buckets of a chart.

One arithmetic for all of them: `spans` makes rows of points, `combined` makes fewer rows of rows. The set-based form of
`domain/rules/series_summary`; a test compares both. Rows keep means, not sums: the sum of finite values may be
infinite, their mean never is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from application.series.columns import Floats, Ints, starts_of

CELL = np.dtype(
    [
        ("step", "<i8"),
        ("time", "<i8"),
        ("min", "<f8"),
        ("max", "<f8"),
        ("mean", "<f8"),
        ("last", "<f8"),
        ("count", "<i8"),
    ]
)
"""`step` and `time` are those of the first point; `last` is the value of the last one. Stored in chunks."""
SUMMARY = np.dtype(
    [
        ("count", "<i8"),
        ("min", "<f8"),
        ("max", "<f8"),
        ("mean", "<f8"),
        ("first", "<f8"),
        ("last", "<f8"),
        ("step", "<i8"),
        ("last_step", "<i8"),
        ("time", "<i8"),
        ("last_at", "<i8"),
    ]
)
"""A `CELL` with `first`, the value of the first point, and with `last_step` and `last_at`, those of the last point."""
Rows = npt.NDArray[np.void]
"""Of `CELL` or `SUMMARY`."""

CELL_POINTS = 64
COARSE_CELLS = 8
"""Cells in a coarse cell."""
_OF_FIRST = ("step", "time", "first")
_OF_LAST = ("last", "last_step", "last_at")


def spans(dtype: np.dtype[np.void], steps: Ints, times: Ints, values: Floats, starts: Ints) -> Rows:
    """A row for the points from each of `starts` (strictly increasing, the first is 0) to the next."""
    ends = np.append(starts[1:], len(steps))
    of_points: Mapping[str, Ints | Floats] = {
        "step": steps,
        "time": times,
        "first": values,
        "last": values,
        "last_step": steps,
        "last_at": times,
    }
    rows = np.empty(len(starts), dtype)
    rows["count"] = ends - starts
    rows["min"] = np.minimum.reduceat(values, starts)
    rows["max"] = np.maximum.reduceat(values, starts)
    rows["mean"] = _mean(values, np.ones(len(values), np.int64), rows, starts)
    _ends_of(rows, of_points, starts, ends)
    return rows


def combined(rows: Rows, starts: Ints) -> Rows:
    """A row for the rows from each of `starts` to the next; they lie behind each other in order of step."""
    ends = np.append(starts[1:], len(rows))
    result = np.empty(len(starts), rows.dtype)
    result["count"] = np.add.reduceat(rows["count"], starts)
    result["min"] = np.minimum.reduceat(rows["min"], starts)
    result["max"] = np.maximum.reduceat(rows["max"], starts)
    result["mean"] = _mean(rows["mean"], rows["count"], result, starts)
    names = rows.dtype.names or ()
    _ends_of(result, {name: rows[name] for name in names}, starts, ends)
    return result


def stacked(dtype: np.dtype[np.void], parts: Iterable[Rows]) -> Rows:
    """The rows of `parts` one behind the other."""
    # np.concatenate works out a common dtype for every part, which takes 60 us each.
    return np.frombuffer(bytearray(b"".join(rows.tobytes() for rows in parts)), dtype)


def pieces(counts: Ints, size: int) -> tuple[Ints, Ints]:
    """Cuts series of `counts` points into pieces of `size`, the last of a series shorter.

    Returns where each piece starts, and how many pieces each series has.
    """
    numbers = -(-counts // size)
    within = np.arange(int(numbers.sum())) - np.repeat(starts_of(numbers), numbers)
    return np.repeat(starts_of(counts), numbers) + within * size, numbers


def _ends_of(rows: Rows, columns: Mapping[str, Ints | Floats], starts: Ints, ends: Ints) -> None:
    names = rows.dtype.names or ()
    for name in names:
        if name in _OF_FIRST:
            rows[name] = columns[name][starts]
        elif name in _OF_LAST:
            rows[name] = columns[name][ends - 1]


def _mean(means: Floats, weights: Ints, rows: Rows, starts: Ints) -> Floats:
    """Weighted means of groups, kept within the extrema that rounding may leave by a unit."""
    with np.errstate(over="ignore", invalid="ignore"):
        result: Floats = np.add.reduceat(means * weights, starts) / rows["count"]
    if not np.isfinite(result).all():  # a sum overflowed: weigh first, which costs denormals their last bits
        shares = weights / np.repeat(rows["count"], np.diff(np.append(starts, len(means))))
        result = np.where(np.isfinite(result), result, np.add.reduceat(means * shares, starts))
    within: Floats = np.clip(result, rows["min"], rows["max"])
    return within
