"""Points of several series as a few bytes: how columns of integers are packed in events and chunks.

A column holds the int64 values of k series, one series after the other. Stored little-endian:

    one series      u1 code, i64 base, i64 first, then n - 1 offsets
    several series  u1 code, i64 base, the k firsts packed as one series, then n - k offsets
    several alike   u1 code | 0x10, then as one series: every series has the values of the first

An offset is a difference to the value before it, less `base`, the smallest of them: unsigned, in 0, 1, 2, 4 or 8
bytes by `code`. Arithmetic wraps at 64 bits, so every int64 survives. Stored for ever: golden bytes in the tests.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from domain.events.series import Columns

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_ALIKE = 0x10
_ONE = struct.Struct("<Bqq")
_SEVERAL = struct.Struct("<Bq")
_LENGTH = struct.Struct("<I")
_OFFSETS = (np.dtype("<u1"), np.dtype("<u1"), np.dtype("<u2"), np.dtype("<u4"), np.dtype("<u8"))
_WIDTHS = (0, 1, 2, 4, 8)
_CEILINGS = np.array([0, 2**8 - 1, 2**16 - 1, 2**32 - 1], np.uint64)


class Batch(msgspec.Struct, frozen=True):
    """Points of several series, one after the other. A number may come twice: the later points win."""

    numbers: Ints
    counts: Ints
    """Points of each series, 1 or more."""
    steps: Ints
    times: Ints
    """Microseconds since the epoch."""
    values: Floats
    """Finite."""


def pack(batch: Batch) -> Columns:
    """The batch as stored in an event."""
    count = len(batch.numbers)
    return Columns(
        numbers=_LENGTH.pack(count) + (_one(batch.numbers) if count else b""),
        counts=_one(batch.counts) if count else b"",
        steps=_several(batch.steps, batch.counts) if count else b"",
        times=_several(batch.times, batch.counts) if count else b"",
        values=batch.values.astype("<f8", copy=False).tobytes(),
    )


def unpack(columns: Columns) -> Batch:
    """The batch of a stored event; its values are read-only. ValueError for bytes that are no such columns."""
    try:
        return _unpacked(columns)
    except struct.error as error:
        raise ValueError(str(error)) from None


def _unpacked(columns: Columns) -> Batch:
    (count,) = _LENGTH.unpack_from(columns.numbers)
    points = len(columns.values) // 8
    if count > points:  # before room is made for them: a few bytes can claim any number of series
        raise ValueError("fewer values than series")
    if not count:
        return empty_batch()
    numbers = unpack_series(memoryview(columns.numbers)[_LENGTH.size :], count)
    counts = unpack_series(columns.counts, count)
    if counts.min() < 1 or counts.max() > points or counts.sum() != points:
        raise ValueError("the counts of the series are not those of the values")
    return Batch(
        numbers=numbers,
        counts=counts,
        steps=_unpack_several(columns.steps, counts),
        times=_unpack_several(columns.times, counts),
        values=np.frombuffer(columns.values, "<f8", points),
    )


def empty_batch() -> Batch:
    """No points of no series."""
    none = np.empty(0, np.int64)
    return Batch(numbers=none, counts=none, steps=none, times=none, values=np.empty(0))


def starts_of(counts: Ints) -> Ints:
    """Where each series begins."""
    starts = np.zeros(len(counts), np.int64)
    np.cumsum(counts[:-1], out=starts[1:])
    return starts


def pack_each(values: Ints, counts: Ints) -> list[bytes]:
    """Each series packed as one of its own."""
    starts = starts_of(counts)
    steps = np.empty(len(values), np.int64)
    np.subtract(values[1:], values[:-1], out=steps[1:])
    several = counts > 1
    steps[starts[several]] = steps[starts[several] + 1]
    steps[starts[~several]] = 0
    bases = np.minimum.reduceat(steps, starts)
    codes = np.searchsorted(_CEILINGS, (np.maximum.reduceat(steps, starts) - bases).view(np.uint64)).tolist()
    offsets = (steps - np.repeat(bases, counts)).view(np.uint64)
    raw = {code: offsets.astype(_OFFSETS[code]).tobytes() if code else b"" for code in set(codes)}
    layout = zip(codes, bases.tolist(), values[starts].tolist(), starts.tolist(), counts.tolist(), strict=True)
    return [
        _ONE.pack(code, base, first) + raw[code][(start + 1) * _WIDTHS[code] : (start + count) * _WIDTHS[code]]
        for code, base, first, start, count in layout
    ]


def unpack_series(data: bytes | memoryview, count: int) -> Ints:
    """The `count` values (1 or more) of one series packed by itself."""
    code, base, first = _ONE.unpack_from(data)
    values = np.empty(count, np.int64)
    values[0] = first
    values[1:] = _offsets(data, _ONE.size, code, count - 1)
    values[1:] += base
    return np.cumsum(values, out=values)


def _one(values: Ints) -> bytes:
    code, base, offsets = _packed_differences(values[1:] - values[:-1])
    return _ONE.pack(code, base, int(values[0])) + offsets


def _several(values: Ints, counts: Ints) -> bytes:
    if len(counts) == 1:
        return _one(values)
    if _all_equal(counts):
        grid = values.reshape(len(counts), -1)
        if (grid == grid[0]).all():
            alike = _one(grid[0])
            return bytes((alike[0] | _ALIKE,)) + alike[1:]
    starts = starts_of(counts)
    inner = np.ones(len(values), np.bool_)
    inner[starts] = False
    code, base, offsets = _packed_differences((values[1:] - values[:-1])[inner[1:]])
    return _SEVERAL.pack(code, base) + _one(values[starts]) + offsets


def _unpack_several(data: bytes, counts: Ints) -> Ints:
    series = len(counts)
    if series == 1:
        return unpack_series(data, int(counts[0]))
    code, base = _SEVERAL.unpack_from(data)
    if code & _ALIKE:
        return np.tile(unpack_series(bytes((code ^ _ALIKE,)) + data[1:], int(counts[0])), series)
    rest = memoryview(data)[_SEVERAL.size :]
    firsts = unpack_series(rest, series)
    behind_firsts = _ONE.size + _WIDTHS[rest[0]] * (series - 1)
    total = int(counts.sum())
    offsets = _offsets(rest, behind_firsts, code, total - series)
    starts = starts_of(counts)
    values = np.zeros(total, np.int64)
    inner = np.ones(total, np.bool_)
    inner[starts] = False
    values[inner] = offsets + np.int64(base) if len(offsets) else 0
    np.cumsum(values, out=values)
    return values + np.repeat(firsts - values[starts], counts)


def _packed_differences(differences: Ints) -> tuple[int, int, bytes]:
    """(code, base, offsets)."""
    if not len(differences):
        return 0, 0, b""
    base = differences.min()
    code = int(np.searchsorted(_CEILINGS, np.uint64(int(differences.max()) - int(base))))
    return code, int(base), (differences - base).view(np.uint64).astype(_OFFSETS[code]).tobytes() if code else b""


def _offsets(data: bytes | memoryview, start: int, code: int, count: int) -> Ints:
    if code >= len(_WIDTHS):
        raise ValueError(f"no column starts with {code}")
    if not code or not count:
        return np.zeros(count, np.int64)
    return np.frombuffer(data, _OFFSETS[code], count, start).astype(np.int64)


def _all_equal(values: Ints) -> bool:
    return bool((values == values[0]).all())


def concatenate(batches: Sequence[Batch]) -> Batch:
    """The batches one behind the other, as they are."""
    if len(batches) == 1:
        return batches[0]
    if not batches:
        return empty_batch()
    return Batch(
        numbers=np.concatenate([batch.numbers for batch in batches]),
        counts=np.concatenate([batch.counts for batch in batches]),
        steps=np.concatenate([batch.steps for batch in batches]),
        times=np.concatenate([batch.times for batch in batches]),
        values=np.concatenate([batch.values for batch in batches]),
    )
