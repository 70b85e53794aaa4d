"""Filling a new version of the series view from the log, as an operator does it."""

from __future__ import annotations

import time
from collections.abc import Iterator

from tests.bench.bench import Bench
from tests.bench.floor import floor
from tests.bench.stack import Stack
from tests.bench.table import Row, row


def measure(bench: Bench) -> Iterator[Row]:
    """10 M points; the command's own start is in it."""
    stack = bench.filled()
    points = int(stack.ask("SELECT sum(count) FROM proj_series_v2.summary"))
    taken, floors = [], []
    for _ in range(bench.repeats):
        floors.append(points / floor(stack, bench.sized(400)).points_a_second)
        taken.append(_rebuilt(stack))
    note = f"{points:,} points; floor: as rows, 4 connections"
    yield row("rebuild of 10 M points", "<= 4 s", taken, "s", floors, note)


def _rebuilt(stack: Stack) -> float:
    """Seconds; the new version agrees with the one that serves, and is dropped again."""
    began = time.perf_counter()
    stack.server.command("projections", "rebuild", "series")
    taken = time.perf_counter() - began
    stack.server.command("projections", "compare", "series")
    stack.server.command("projections", "drop", "series")
    return taken
