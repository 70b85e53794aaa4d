"""Scalar series and the points of them, and hardware samples, which are series over time."""

from __future__ import annotations

from typing import Literal

import msgspec

from domain.events.base import AttemptEvent, RunEvent

Family = Literal["scalar", "hardware"]
"""Series of both families are numbered apart, each from 1 to 4,096 in a run."""
InvalidKind = Literal["nan", "pos_inf", "neg_inf"]


class SeriesOpened(RunEvent, frozen=True, kw_only=True, omit_defaults=True, tag="series-opened.v1"):
    family: Family
    number: int
    """1 to 4,096: the order in which the run's series were first reported; also its stream version."""
    key: str
    """Metric key; `host/metric` for hardware."""


class InvalidPoint(msgspec.Struct, frozen=True, array_like=True):
    """A measurement that was not a finite number."""

    number: int
    step: int
    kind: InvalidKind
    time: int
    """Microseconds since the epoch."""


class Columns(msgspec.Struct, frozen=True, array_like=True):
    """Points of several series, one after the other, as packed columns (see `application/series/columns.py`)."""

    numbers: bytes
    """Packed int64: the series' numbers."""
    counts: bytes
    """Packed int64: points of each series."""
    steps: bytes
    """Packed int64 >= 0; for hardware, microseconds since the epoch."""
    times: bytes
    """Packed int64: microseconds since the epoch."""
    values: bytes
    """Little-endian float64, finite."""


class Provenance(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a collector says of where a scalar came from."""

    source: str
    producer: str
    sequence: int
    unit: str
    segment: str | None = None


class MetricsReported(AttemptEvent, frozen=True, kw_only=True, omit_defaults=True, tag="metrics-reported.v1"):
    points: int
    """Finite points in `columns`."""
    columns: Columns
    invalid: tuple[InvalidPoint, ...] = ()
    provenance: Provenance | None = None


class GpuDevices(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which cards the GPU numbers of a host mean."""

    host: str
    pid: int | None = None
    gpu_uuids: dict[str, str] = {}
    """Physical NVML index -> UUID."""
    gpu_attribution: str | None = None
    """How the process was matched to its cards: pid, sticky, mem or none."""


class HardwareSampled(AttemptEvent, frozen=True, kw_only=True, omit_defaults=True, tag="hardware-sampled.v1"):
    points: int
    columns: Columns
    devices: tuple[GpuDevices, ...] = ()
