"""`metrics`: scalar points, as published clients send them (a list) or as ours does (columns, see `columnar.py`)."""

from __future__ import annotations

import hashlib
from typing import Annotated

import msgspec
import numpy as np
from tuneplane.contract import INT64_MAX, METRIC_KEY_CHARS, METRICS_BODY_BYTES, POINTS_PER_BATCH

from application.clock import now
from application.commands.report_metrics import MetricsReport, Origin, SeriesBatch
from domain.errors import Refused
from entrypoints.http.ingest.body import IngestRequest, Report, decoded, is_messagepack, received
from entrypoints.http.ingest.guards import name
from entrypoints.http.ingest.source import Source
from entrypoints.http.ingest.timestamps import known_micros, micros
from entrypoints.http.ingest.wire import columnar
from entrypoints.http.ingest.wire.logs import Sequence, Session, check_numbering


class Point(msgspec.Struct, frozen=True, gc=False):
    key: str
    """1 to 512 characters."""
    step: Annotated[int, msgspec.Meta(ge=0, le=INT64_MAX)]
    value: float
    """Finite."""
    ts: str | None = None
    """ISO-8601 with an offset; the time of receipt where it is absent."""


class Metrics(Report, frozen=True, kw_only=True):
    """`points`, or `series` with `stream` and `sequence`: 1 to 2,048 points in all."""

    points: list[Point] | None = None
    series: list[columnar.Series] | None = None
    stream: Session | None = None
    sequence: Sequence | None = None


class PackedMetrics(Report, frozen=True, kw_only=True):
    """The same in MessagePack, with columns that are read in one go."""

    points: list[Point] | None = None
    series: list[columnar.PackedSeries] | None = None
    stream: Session | None = None
    sequence: Sequence | None = None


_json = msgspec.json.Decoder(Metrics)
_packed = msgspec.msgpack.Decoder(PackedMetrics)


async def read(request: IngestRequest) -> MetricsReport:
    """The checked batch of a request."""
    packed = is_messagepack(request)
    return report_of(await received(request, METRICS_BODY_BYTES), request.user, packed=packed)


def report_of(raw: bytes, source: Source, *, packed: bool) -> MetricsReport:
    """The checked batch of an inflated body."""
    report: Metrics | PackedMetrics = decoded(_packed, raw) if packed else decoded(_json, raw)
    source.check(report.run_id, report.attempt)
    if (report.points is None) == (report.series is None):
        raise Refused.at("points", "either points or series must be there")
    check_numbering(report.stream, report.sequence)
    if report.points is not None:
        batch = from_points(report.points, now())
    else:
        series: list[columnar.Series | columnar.PackedSeries] = [*(report.series or ())]
        batch = columnar.batch_of(series, now())
    if report.stream is not None and report.sequence is not None:
        origin = Origin(session=report.stream, sequence=report.sequence)
    else:
        origin = Origin(body_digest=hashlib.sha256(raw).digest())
    return MetricsReport(run=source.run, attempt=source.attempt, batch=batch, origin=origin)


def from_points(points: list[Point], received_at: int) -> SeriesBatch:
    """Points sorted by series, in the order they came within each. `received_at` in microseconds."""
    count = len(points)
    if not 1 <= count <= POINTS_PER_BATCH:
        raise Refused.at("points", f"must be 1 to {POINTS_PER_BATCH:,} points, not {count:,}", POINTS_PER_BATCH)
    named = [point.key for point in points]
    codes = {key: code for code, key in enumerate(dict.fromkeys(named))}
    series = np.array(list(map(codes.__getitem__, named)), np.int16)
    for key in codes:
        if not 1 <= len(key) <= METRIC_KEY_CHARS or not key.isprintable():
            name(f"points[{named.index(key)}].key", key, METRIC_KEY_CHARS)
    values = np.array([point.value for point in points], np.float64)
    if not (finite := np.isfinite(values)).all():
        raise Refused.at(f"points[{int(finite.argmin())}].value", "must be a finite number")
    steps = np.array([point.step for point in points], np.int64)
    times = np.array(_times(points, received_at), np.int64)
    if len(codes) == 1:
        return SeriesBatch(keys=list(codes), counts=np.array([count]), steps=steps, times=times, values=values)
    order = np.argsort(series, kind="stable")
    counts = np.bincount(series).astype(np.int64)
    return SeriesBatch(keys=list(codes), counts=counts, steps=steps[order], times=times[order], values=values[order])


def _times(points: list[Point], received_at: int) -> list[int]:
    try:
        return list(map(known_micros.__getitem__, [point.ts for point in points]))  # type: ignore[arg-type]  # None: below
    except KeyError:
        return [
            received_at if point.ts is None else micros(f"points[{at}].ts", point.ts) for at, point in enumerate(points)
        ]
