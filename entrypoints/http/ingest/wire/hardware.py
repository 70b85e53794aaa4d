"""`hardware`: samples of hosts and their cards, or flat points; kept as series `host/metric` over time."""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal

import msgspec
import numpy as np
from tuneplane.contract import HARDWARE_BODY_BYTES, INT64_MAX, METRIC_KEY_CHARS, POINTS_PER_BATCH

from application.clock import now
from application.commands.report_hardware import HardwareReport
from application.commands.report_metrics import Origin, SeriesBatch
from domain.errors import Refused
from domain.events.series import GpuDevices
from domain.ids import Micros
from entrypoints.http.ingest.body import Body, IngestRequest, Report, is_messagepack, received
from entrypoints.http.ingest.guards import finite, name
from entrypoints.http.ingest.source import Source
from entrypoints.http.ingest.timestamps import micros
from entrypoints.http.ingest.wire.logs import Sequence, Session, check_numbering

HOST_CHARS = 256
CARDS = 128
_UUID_CHARS = 128


class HardwarePoint(msgspec.Struct, frozen=True, kw_only=True):
    """A sample with `metrics`, or a flat point with `key` and `value`."""

    hostname: str
    ts: str | None = None
    """ISO-8601 with an offset; the time of receipt where it is absent."""
    pid: Annotated[int, msgspec.Meta(ge=0, le=INT64_MAX)] | None = None
    metrics: dict[str, float] | None = None
    """`cpu.pct`, `gpu.0.temp`, …: name -> number."""
    gpu_uuids: Annotated[dict[str, str], msgspec.Meta(max_length=CARDS)] | None = None
    """Physical NVML index -> UUID."""
    gpu_attribution: Literal["pid", "sticky", "mem", "none"] | None = None
    key: str | None = None
    value: float | None = None


class Hardware(Report, frozen=True, kw_only=True):
    points: Annotated[list[HardwarePoint], msgspec.Meta(min_length=1, max_length=POINTS_PER_BATCH)]
    stream: Session | None = None
    sequence: Sequence | None = None


BODY = Body(Hardware, HARDWARE_BODY_BYTES)


async def read(request: IngestRequest) -> HardwareReport:
    """The checked batch of a request."""
    packed = is_messagepack(request)
    raw = await received(request, HARDWARE_BODY_BYTES)
    return report_of(raw, request.user, packed=packed)


def report_of(raw: bytes, source: Source, *, packed: bool) -> HardwareReport:
    """The checked batch of an inflated body."""
    report = BODY.decode(raw, source, packed=packed)
    check_numbering(report.stream, report.sequence)
    if report.stream is not None and report.sequence is not None:
        origin = Origin(session=report.stream, sequence=report.sequence)
    else:
        origin = Origin(body_digest=hashlib.sha256(raw).digest())
    return HardwareReport(
        run=source.run,
        attempt=source.attempt,
        batch=_batch(report.points, now()),
        devices=_devices(report.points),
        origin=origin,
    )


def _batch(points: list[HardwarePoint], received_at: Micros) -> SeriesBatch:
    found: dict[str, tuple[list[int], list[float]]] = {}
    for at, point in enumerate(points):
        path = f"points[{at}]"
        name(f"{path}.hostname", point.hostname, HOST_CHARS)
        measured_at = received_at if point.ts is None else micros(f"{path}.ts", point.ts)
        if measured_at < 0:
            raise Refused.at(f"{path}.ts", "must not be before 1970")
        for metric, value in _measured(path, point).items():
            name(f"{path}.metrics", metric, METRIC_KEY_CHARS)
            key = name(f"{path}.metrics", f"{point.hostname}/{metric}", METRIC_KEY_CHARS)
            finite(f"{path}.metrics.{metric}", value)
            times, values = found.setdefault(key, ([], []))
            times.append(measured_at)
            values.append(value)
    measured = np.array([at for column, _ in found.values() for at in column], np.int64)
    return SeriesBatch(
        keys=list(found),
        counts=np.array([len(column) for column, _ in found.values()], np.int64),
        steps=measured,
        times=measured,
        values=np.array([value for _, column in found.values() for value in column], np.float64),
    )


def _measured(path: str, point: HardwarePoint) -> dict[str, float]:
    if (point.metrics is None) == (point.key is None):
        raise Refused.at(path, "either metrics, or key and value must be there")
    if point.metrics is not None:
        return point.metrics
    if point.value is None:
        raise Refused.at(f"{path}.value", "a flat point needs a value")
    return {point.key or "": point.value}


def _devices(points: list[HardwarePoint]) -> tuple[GpuDevices, ...]:
    """What was last said of each process."""
    found: dict[tuple[str, int | None], GpuDevices] = {}
    for at, point in enumerate(points):
        if not point.gpu_uuids and point.gpu_attribution is None:
            continue
        for index, uuid in (point.gpu_uuids or {}).items():
            name(f"points[{at}].gpu_uuids", index, _UUID_CHARS)
            name(f"points[{at}].gpu_uuids.{index}", uuid, _UUID_CHARS)
        found[point.hostname, point.pid] = GpuDevices(
            host=point.hostname,
            pid=point.pid,
            gpu_uuids=point.gpu_uuids or {},
            gpu_attribution=point.gpu_attribution,
        )
    return tuple(found.values())
