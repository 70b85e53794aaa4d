"""What the keys of hardware series mean: whose they are, and in what they are measured."""

from __future__ import annotations

import re

import msgspec

_CARD = re.compile(r"gpu\.(\d{1,6})\.(.+)")
_UNITS = {
    "cpu.pct": "%",
    "mem.pct": "%",
    "mem.proc.pct": "%",
    "mem.proc.avail": "MiB",
    "mem.proc": "MiB",
    "cpu.thds": "threads",
    "gpu.pct": "%",
    "gpu.mem.pct": "%",
    "gpu.mem.time": "%",
    "gpu.mem.value": "MiB",
    "gpu.temp": "°C",
    "gpu.power": "W",
}


class HardwareKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key taken apart."""

    host: str
    card: int | None
    """Physical NVML index; None for what is measured of the host."""
    metric: str
    """As in `cpu.pct`; of a card without its number, as in `gpu.temp`."""
    unit: str | None
    """None for metrics that nobody agreed on."""


def hardware_key(key: str) -> HardwareKey:
    """`host/gpu.0.temp` and the like; a host's name ends at the first slash."""
    host, _, name = key.partition("/")
    found = _CARD.fullmatch(name)
    metric = f"gpu.{found[2]}" if found else name
    return HardwareKey(host=host, card=int(found[1]) if found else None, metric=metric, unit=_UNITS.get(metric))
