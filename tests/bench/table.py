"""What a measurement found, and the one table all of them are printed in."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import msgspec


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One budget line."""

    what: str
    must: str
    """What docs/benchmarks.md, "Budgets", asks for; empty where nothing is asked."""
    value: float
    """Median of `all`."""
    unit: str
    all: tuple[float, ...]
    """Every repeat, in order."""
    floor: float | None
    """The same by the simplest means that does the same work, in the same unit and run; None where there is none."""
    note: str
    load: float
    """The machine's load average when this was measured: above the number of its cores the figures are no budget's."""
    loop: float
    """Milliseconds of CPU that a fixed loop took then: how fast a core was, whatever its neighbours did."""


def row(
    what: str,
    must: str,
    values: Sequence[float],
    unit: str,
    floors: Sequence[float] = (),
    note: str = "",
) -> Row:
    """A line from its repeats and those of its floor."""
    return Row(
        what=what,
        must=must,
        value=median(values),
        unit=unit,
        all=tuple(values),
        floor=median(floors) if floors else None,
        note=note,
        load=os.getloadavg()[0],
        loop=_loop(),
    )


def table(rows: Sequence[Row]) -> str:
    """All rows as a Markdown table, columns aligned."""
    head = ("what", "must reach", "reached", "floor", "ratio to floor", "note")
    cells = [head, tuple("-" for _ in head), *(_cells(one) for one in rows)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(head))]
    return "\n".join("| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in cells)


def machine() -> str:
    """What the figures were taken on."""
    processor = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    load = " ".join(f"{each:.1f}" for each in os.getloadavg())
    return f"{os.cpu_count()} cores, {processor}; Python {platform.python_version()}; load average {load}"


def number(value: float) -> str:
    """With about three digits that matter, and thousands apart."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


def _loop() -> float:
    """Milliseconds of CPU for 200,000 additions, on average."""
    began, total = time.process_time(), 0
    for at in range(5 * 200_000):
        total += at
    return (time.process_time() - began) / 5 * 1e3


def _cells(one: Row) -> tuple[str, ...]:
    reached = f"{number(one.value)} {one.unit}".strip()
    if len(one.all) > 1:
        reached += f" ({number(min(one.all))} to {number(max(one.all))})"
    notes = [one.note, f"load {one.load:.1f}, loop {one.loop:.1f} ms"]
    return (
        one.what,
        one.must,
        reached,
        "" if one.floor is None else number(one.floor),
        f"{one.value / one.floor:.2f}" if one.floor else "",
        "; ".join(each for each in notes if each),
    )
