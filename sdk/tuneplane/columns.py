"""From logged calls to columnar batches: one column of steps, times and values for each series.

Runs beside a training loop that wants the interpreter back: calls that log the same names are
turned into columns with whole-list operations, and `pause` is called between slices of work.
"""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING, Union

from tuneplane import msgpack
from tuneplane.contract import INT64_MAX, METRICS_BODY_BYTES, POINTS_PER_BATCH

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Callable

    from tuneplane.series_keys import SeriesKeys

# At most so many bytes of MessagePack for a finite point, one that is not, a series beside its key; and for a batch.
POINT_BYTES = 27
INVALID_BYTES = 48
SERIES_BYTES = 64
BATCH_BYTES = METRICS_BODY_BYTES - 64 * 1024
_SLICE = 5000
"""Work between two pauses, where a point of a long column is 1: about half a millisecond."""
_COLUMN_WORK = 14
_GROUP_WORK = 12


Logged = tuple[str, int, float, dict[str, Union[float, int]]]
"""One call of `log`: prefix, step, seconds since the epoch, captured values.

A plain tuple, because the garbage collector soon stops looking at those.
"""


class Column:
    """One series of one batch. `steps`, `ts` and `values` have equal lengths."""

    __slots__ = ("invalid", "key_bytes", "steps", "ts", "values")

    def __init__(self, key_bytes: int) -> None:
        self.key_bytes = key_bytes
        self.steps: list[int] = []
        self.ts: list[float] = []
        self.values: list[float] = []
        self.invalid: list[tuple[int, float, str]] = []
        """Step, time and kind of what is not finite."""

    def points(self) -> int:
        return len(self.values) + len(self.invalid)

    def size_bytes(self) -> int:
        """At most this much in MessagePack."""
        return SERIES_BYTES + self.key_bytes + POINT_BYTES * len(self.values) + INVALID_BYTES * len(self.invalid)


def columns(
    calls: Sequence[Logged],
    keys: SeriesKeys,
    refuse: Callable[[str, str], None],
    pause: Callable[[], None],
) -> dict[str, Column]:
    """Columns by key, in the order of the calls. `refuse(key, reason)` once for each lost value."""
    found: dict[str, Column] = {}
    work = 0
    for (prefix, names), group in groupby(calls, key=lambda call: (call[0], tuple(call[3]))):
        alike = list(group)
        steps = [call[1] for call in alike]
        times = [call[2] for call in alike]
        for name, values in zip(names, zip(*[call[3].values() for call in alike])):
            key = f"{prefix}{name}"
            column = found.get(key)
            if column is None:
                size = keys.size_bytes(key)
                if size == 0:
                    for _ in values:
                        refuse(key, keys.why_not(key))
                    continue
                column = found[key] = Column(size)
            _extend(column, key, steps, times, values, refuse)
            work += _COLUMN_WORK + len(values)
            if work >= _SLICE:
                work = 0
                pause()
        work += _GROUP_WORK
    return found


def _extend(
    column: Column,
    key: str,
    steps: list[int],
    times: list[float],
    values: tuple[float | int, ...],
    refuse: Callable[[str, str], None],
) -> None:
    try:
        numbers = list(map(float, values))
    except OverflowError:
        numbers = []
    if numbers and all(map(math.isfinite, numbers)):
        column.steps += steps
        column.ts += times
        column.values += numbers
        return
    for step, ts, value in zip(steps, times, values):
        try:
            number = float(value)
        except OverflowError:
            refuse(key, "an integer too large for a number")
            continue
        if math.isfinite(number):
            column.steps.append(step)
            column.ts.append(ts)
            column.values.append(number)
        else:
            column.invalid.append((step, ts, invalid_kind(number)))


def invalid_kind(number: float) -> str:
    """What a number that is not finite is called on the wire."""
    if math.isnan(number):
        return "nan"
    return "pos_inf" if number > 0 else "neg_inf"


def batches(found: dict[str, Column]) -> Iterator[dict[str, Column]]:
    """The columns in batches that the limits on points and bytes allow."""
    batch: dict[str, Column] = {}
    points = size = 0
    for key, column in found.items():
        more, bytes_more = column.points(), column.size_bytes()
        if not more:
            continue
        if batch and (points + more > POINTS_PER_BATCH or size + bytes_more > BATCH_BYTES):
            yield batch
            batch, points, size = {}, 0, 0
        batch[key] = column
        points += more
        size += bytes_more
    if batch:
        yield batch


def encoded(run_id: str, stream: str, sequence: int, batch: dict[str, Column], pause: Callable[[], None]) -> bytes:
    """A request body in MessagePack. The same arguments give the same bytes."""
    parts = [
        msgpack.map_of(4),
        msgpack.string("run_id") + msgpack.string(run_id),
        msgpack.string("stream") + msgpack.string(stream),
        msgpack.string("sequence") + msgpack.unsigned(min(sequence, INT64_MAX)),
        msgpack.string("series") + msgpack.array_of(len(batch)),
    ]
    work = 0
    for key, column in batch.items():
        parts.append(_series(key, column))
        work += _COLUMN_WORK + column.points()
        if work >= _SLICE:
            work = 0
            pause()
    return b"".join(parts)


_KEY = msgpack.string("key")
_STEPS = msgpack.string("steps")
_VALUES = msgpack.string("values")
_TS = msgpack.string("ts")
_INVALID = msgpack.string("invalid")
_STEP = msgpack.map_of(3) + msgpack.string("step")
_KIND = msgpack.string("kind")


def _series(key: str, column: Column) -> bytes:
    parts = [
        msgpack.map_of(5 if column.invalid else 4),
        _KEY,
        msgpack.string(key),
        _STEPS,
        msgpack.integers(column.steps),
        _VALUES,
        msgpack.floats(column.values),
        _TS,
        msgpack.floats(column.ts),
    ]
    if column.invalid:
        parts += [_INVALID, msgpack.array_of(len(column.invalid))]
        for step, ts, kind in column.invalid:
            parts += [_STEP, msgpack.unsigned(step), _TS, msgpack.double(ts), _KIND, msgpack.string(kind)]
    return b"".join(parts)
