"""Metrics in columns: a series after the other, each with steps, values and times of equal length.

In MessagePack, columns of floats are read by numpy without making a Python object a point.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeVar

import msgspec
import numpy as np

from application.columns import Floats, Ints
from application.commands.report_metrics import InvalidReport, SeriesBatch
from domain.errors import Refused
from domain.events.series import InvalidKind
from entrypoints.http.errors import Undecodable
from entrypoints.http.ingest.guards import name, refusal_of
from entrypoints.http.ingest.timestamps import EARLIEST_SECONDS, LATEST_SECONDS
from tuneplane.contract import INT64_MAX, METRIC_KEY_CHARS, POINTS_PER_BATCH

Step = Annotated[int, msgspec.Meta(ge=0, le=INT64_MAX)]


class Invalid(msgspec.Struct, frozen=True, gc=False):
    """A measurement that was no finite number."""

    step: Step
    ts: float
    """Seconds since the epoch."""
    kind: InvalidKind


class Series(msgspec.Struct, frozen=True):
    key: str
    """1 to 512 characters, once in a request."""
    steps: list[Step]
    values: list[float]
    """Finite."""
    ts: list[float]
    """Seconds since the epoch."""
    invalid: list[Invalid] | None = None


class PackedSeries(msgspec.Struct, frozen=True):
    key: str
    steps: msgspec.Raw
    values: msgspec.Raw
    ts: msgspec.Raw
    invalid: list[Invalid] | None = None


_steps = msgspec.msgpack.Decoder(list[Step])
_floats = msgspec.msgpack.Decoder(list[float])
_FLOAT64 = np.dtype([("marker", "u1"), ("value", ">f8")])
_FLOAT64_MARKER = 0xCB
_ARRAY16 = 0xDC
_FIXARRAY, _FIXARRAY_MASK, _FIXARRAY_COUNT = 0x90, 0xF0, 0x0F


def batch_of(series: Sequence[Series | PackedSeries]) -> SeriesBatch:
    """The checked columns, one series after the other."""
    keys: dict[str, int] = {}
    columns: list[tuple[Ints, Floats, Floats]] = []
    invalid: list[InvalidReport] = []
    for at, one in enumerate(series):
        path = f"series[{at}]"
        name(f"{path}.key", one.key, METRIC_KEY_CHARS)
        if keys.setdefault(one.key, at) != at:
            raise Refused.at(f"{path}.key", f"series[{keys[one.key]}] has this key already")
        columns.append(_columns(path, one))
        if one.invalid:
            invalid += _invalid(path, one.key, one.invalid)
    counts = np.array([len(column[0]) for column in columns], np.int64)
    total = int(counts.sum()) + len(invalid)
    if not 1 <= total <= POINTS_PER_BATCH:
        raise Refused.at("series", f"must hold 1 to {POINTS_PER_BATCH:,} points, not {total:,}", POINTS_PER_BATCH)
    steps, values, seconds = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    _check(counts, values, seconds)
    return SeriesBatch(
        keys=list(keys), counts=counts, steps=steps, times=_micros(seconds), values=values, invalid=tuple(invalid)
    )


def _columns(path: str, one: Series | PackedSeries) -> tuple[Ints, Floats, Floats]:
    if isinstance(one, PackedSeries):
        steps = np.array(_decoded(f"{path}.steps", _steps, one.steps), np.int64)
        values, seconds = _packed_floats(f"{path}.values", one.values), _packed_floats(f"{path}.ts", one.ts)
    else:
        steps = np.array(one.steps, np.int64)
        values, seconds = np.array(one.values, np.float64), np.array(one.ts, np.float64)
    if not len(steps) == len(values) == len(seconds):
        raise Refused.at(path, f"columns differ: {len(steps)} steps, {len(values)} values, {len(seconds)} ts")
    return steps, values, seconds


def _packed_floats(path: str, raw: msgspec.Raw) -> Floats:
    """A MessagePack array of float64, viewed as it is; any other array of numbers through the decoder."""
    data = memoryview(raw)
    if data[0] & _FIXARRAY_MASK == _FIXARRAY:
        head, count = 1, data[0] & _FIXARRAY_COUNT
    elif data[0] == _ARRAY16:
        head, count = 3, int.from_bytes(data[1:3], "big")
    else:
        head, count = 0, -1
    if count * _FLOAT64.itemsize == len(data) - head:
        column = np.frombuffer(data, _FLOAT64, count, head)
        if (column["marker"] == _FLOAT64_MARKER).all():
            return column["value"].astype(np.float64)
    return np.array(_decoded(path, _floats, raw), np.float64)


N = TypeVar("N", int, float)


def _decoded(path: str, decoder: msgspec.msgpack.Decoder[list[N]], raw: msgspec.Raw) -> list[N]:
    try:
        return decoder.decode(raw)
    except msgspec.ValidationError as problem:
        raise refusal_of(problem, path) from None
    except msgspec.DecodeError as problem:
        raise Undecodable(f"{path} cannot be read: {problem}") from None


def _check(counts: Ints, values: Floats, seconds: Floats) -> None:
    finite = np.isfinite(values)
    if not finite.all():
        raise Refused.at(_at(counts, int(finite.argmin()), "values"), "must be finite; invalid carries what is not")
    timely = (seconds >= EARLIEST_SECONDS) & (seconds < LATEST_SECONDS)
    if not timely.all():
        raise Refused.at(_at(counts, int(timely.argmin()), "ts"), "must be seconds since the epoch, years 1 to 9999")


def _at(counts: Ints, index: int, column: str) -> str:
    ends = np.cumsum(counts)
    series = int(np.searchsorted(ends, index, side="right"))
    return f"series[{series}].{column}[{index - int(ends[series] - counts[series])}]"


def _invalid(path: str, key: str, sent: list[Invalid]) -> list[InvalidReport]:
    found = []
    for at, one in enumerate(sent):
        if not EARLIEST_SECONDS <= one.ts < LATEST_SECONDS:
            raise Refused.at(f"{path}.invalid[{at}].ts", "must be seconds since the epoch, years 1 to 9999")
        found.append(InvalidReport(key, one.step, one.kind, round(one.ts * 1e6)))
    return found


def _micros(seconds: Floats) -> Ints:
    return np.rint(seconds * 1e6).astype(np.int64)
