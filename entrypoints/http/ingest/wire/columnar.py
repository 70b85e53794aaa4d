"""Metrics in columns: a series after the other, each with steps, values and times of equal length.

In MessagePack, columns of floats are read by numpy without making a Python object a point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Annotated, TypeGuard

import msgspec
import numpy as np
from tuneplane.contract import INT64_MAX, METRIC_KEY_CHARS, POINTS_PER_BATCH

from application.commands.report_metrics import InvalidReport, SeriesBatch
from application.series.columns import Floats, Ints
from domain.errors import Refused
from domain.events.series import InvalidKind
from entrypoints.http.errors import Undecodable
from entrypoints.http.ingest.guards import name, refusal_of
from entrypoints.http.ingest.timestamps import EARLIEST_SECONDS, LATEST_SECONDS

Step = Annotated[int, msgspec.Meta(ge=0, le=INT64_MAX)]


class Invalid(msgspec.Struct, frozen=True, gc=False):
    """A measurement that was no finite number."""

    step: Step
    kind: InvalidKind
    ts: float | None = None
    """Seconds since the epoch; the time of receipt where it is absent."""


class Series(msgspec.Struct, frozen=True, gc=False):
    key: str
    """1 to 512 characters, once in a request."""
    steps: list[Step]
    values: list[float]
    """Finite."""
    ts: list[float] | None = None
    """Seconds since the epoch; the time of receipt where it is absent."""
    invalid: list[Invalid] | None = None


class PackedSeries(msgspec.Struct, frozen=True, gc=False):
    key: str
    steps: list[Step]
    values: msgspec.Raw
    ts: msgspec.Raw
    invalid: list[Invalid] | None = None


_floats = msgspec.msgpack.Decoder(list[float])
_FLOAT64 = np.dtype([("marker", "u1"), ("value", ">f8")])
_FLOAT64_MARKER = 0xCB
_ARRAY16 = 0xDC
_FIXARRAY, _FIXARRAY_LENGTHS = 0x90, 16


def batch_of(series: Sequence[Series | PackedSeries], received_at: int) -> SeriesBatch:
    """The checked columns, one series after the other. `received_at` in microseconds."""
    keys = [one.key for one in series]
    _check_keys(keys)
    counts = [len(one.steps) for one in series]
    invalid = tuple(_invalid(series, received_at)) if any(one.invalid for one in series) else ()
    total = sum(counts) + len(invalid)
    if not 1 <= total <= POINTS_PER_BATCH:
        raise Refused.at("series", f"must hold 1 to {POINTS_PER_BATCH:,} points, not {total:,}", POINTS_PER_BATCH)
    values = _column("values", [one.values for one in series], counts)
    receipt = received_at / 1e6
    timed = [[receipt] * len(one.steps) if one.ts is None else one.ts for one in series]
    seconds = _column("ts", timed, counts)
    _check_values(counts, values, seconds)
    return SeriesBatch(
        keys=keys,
        counts=np.array(counts, np.int64),
        steps=np.array(list(chain.from_iterable([one.steps for one in series])), np.int64),
        times=np.rint(seconds * 1e6).astype(np.int64),
        values=values,
        invalid=invalid,
    )


def _check_keys(keys: list[str]) -> None:
    # There may be thousands: one pass in C over all, and which one is wrong only where one is.
    if not (all(keys) and "".join(keys).isprintable() and max(map(len, keys), default=0) <= METRIC_KEY_CHARS):
        for at, key in enumerate(keys):
            name(f"series[{at}].key", key, METRIC_KEY_CHARS)
    if len(set(keys)) != len(keys):
        at = next(at for at, key in enumerate(keys) if keys.index(key) != at)
        raise Refused.at(f"series[{at}].key", f"series[{keys.index(keys[at])}] has this key already")


def _column(field: str, columns: Sequence[list[float] | msgspec.Raw], counts: list[int]) -> Floats:
    """The numbers of all series; each must have as many as it has steps."""
    if _raw(columns):
        whole = _viewed(b"".join(columns), np.array(counts, np.int64))
        if whole is not None:
            return whole
    lists = [_listed(f"series[{at}].{field}", column) for at, column in enumerate(columns)]
    for at, (column, count) in enumerate(zip(lists, counts, strict=True)):
        if len(column) != count:
            raise Refused.at(f"series[{at}].{field}", f"has {len(column)} entries, steps has {count}", count)
    return np.array(list(chain.from_iterable(lists)), np.float64)


def _raw(columns: Sequence[list[float] | msgspec.Raw]) -> TypeGuard[Sequence[msgspec.Raw]]:
    """The columns of one body are all alike."""
    return bool(columns) and isinstance(columns[0], msgspec.Raw)


def _viewed(joined: bytes, counts: Ints) -> Floats | None:
    """MessagePack arrays of nothing but float64, read as they are; None where one is anything else.

    Every array begins where those before it end, and its head says how many follow: so heads and markers that are
    all where they should be leave no other reading.
    """
    short = counts < _FIXARRAY_LENGTHS
    sizes = np.where(short, 1, 3) + counts * _FLOAT64.itemsize
    if len(joined) != sizes.sum():
        return None
    octets = np.frombuffer(joined, np.uint8)
    starts = np.cumsum(sizes) - sizes
    long = starts[~short]
    lengths = octets[long + 1].astype(np.int64) << 8 | octets[long + 2]
    heads = np.where(short, _FIXARRAY | counts, _ARRAY16)
    if (octets[starts] != heads).any() or (lengths != counts[~short]).any():
        return None
    kept = np.ones(len(octets), np.bool_)
    kept[starts] = kept[long + 1] = kept[long + 2] = False
    numbers = octets[kept].view(_FLOAT64)
    return numbers["value"].astype(np.float64) if (numbers["marker"] == _FLOAT64_MARKER).all() else None


def _listed(path: str, column: list[float] | msgspec.Raw) -> list[float]:
    if not isinstance(column, msgspec.Raw):
        return column
    try:
        return _floats.decode(column)
    except msgspec.ValidationError as problem:
        raise refusal_of(problem, path) from None
    except msgspec.DecodeError as problem:
        raise Undecodable(f"{path} cannot be read: {problem}") from None


def _check_values(counts: list[int], values: Floats, seconds: Floats) -> None:
    finite = np.isfinite(values)
    if not finite.all():
        raise Refused.at(_at(counts, int(finite.argmin()), "values"), "must be finite; invalid carries what is not")
    timely = (seconds >= EARLIEST_SECONDS) & (seconds < LATEST_SECONDS)
    if not timely.all():
        raise Refused.at(_at(counts, int(timely.argmin()), "ts"), "must be seconds since the epoch, years 1 to 9999")


def _at(counts: list[int], index: int, field: str) -> str:
    for at, count in enumerate(counts):
        if index < count:
            return f"series[{at}].{field}[{index}]"
        index -= count
    return f"series[].{field}"


def _invalid(series: Sequence[Series | PackedSeries], received_at: int) -> Iterator[InvalidReport]:
    for at, one in enumerate(series):
        for number, point in enumerate(one.invalid or ()):
            if point.ts is None:
                yield InvalidReport(one.key, point.step, point.kind, received_at)
                continue
            if not EARLIEST_SECONDS <= point.ts < LATEST_SECONDS:
                path = f"series[{at}].invalid[{number}].ts"
                raise Refused.at(path, "must be seconds since the epoch, years 1 to 9999")
            yield InvalidReport(one.key, point.step, point.kind, round(point.ts * 1e6))
