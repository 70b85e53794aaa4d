"""Ingest of many series at once: 2,048 of one point each in a batch, one client."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tests.bench import bodies
from tests.bench.bench import Bench
from tests.bench.bodies import POINTS
from tests.bench.floor import floor
from tests.bench.load import loaded, sending
from tests.bench.stack import Cpu, Lag, Stack, a_stack
from tests.bench.table import Row, number, row

_BATCHES = 400
_OPENING = 3
"""Batches before the clock starts."""


class Taken(msgspec.Struct, frozen=True):
    """One repeat."""

    points_a_second: float
    lag: Lag
    cpu: Cpu
    """For 1 M points, until the views had them."""
    bytes_a_point: float
    """Of log and views, once everything is compacted."""


def measure(bench: Bench) -> Iterator[Row]:
    """Speed, cost and room."""
    floors, taken = [], []
    with a_stack() as stack:
        for _ in range(bench.repeats):
            floors.append(floor(stack, bench.sized(_BATCHES)))
            taken.append(_take(stack, bench.sized(_BATCHES)))
    what = "2,048 series of one point a batch, one client"
    middle = sorted(taken, key=lambda one: one.cpu.total)[len(taken) // 2]
    speed, rates = [one.points_a_second for one in taken], [one.points_a_second for one in floors]
    note = f"lag {number(middle.lag.millis)} ms, {middle.lag.tail_points:,} points in the tail"
    yield row(f"{what}: speed", ">= 250,000 points/s", speed, "points/s", rates, note)
    cost = [one.cpu.total for one in taken]
    yield row(f"{what}: CPU for 1 M points", "<= 5 s", cost, "s", [one.cpu for one in floors], str(middle.cpu))
    room = [one.bytes_a_point for one in taken]
    yield row(f"{what}: room", "<= 50 bytes a point", room, "bytes", [one.bytes_a_point for one in floors])


def _take(stack: Stack, batches: int) -> Taken:
    """On a fresh run."""
    (job,) = stack.jobs(1)
    sending(stack.port, job, bodies.wide(job.run_id, 0, _OPENING)).results()
    stack.settled()
    before, size, points = stack.cpu(), _size(stack), batches * POINTS
    result = loaded(sending(stack.port, job, bodies.wide(job.run_id, _OPENING, batches)))
    lag = stack.caught_up()
    cost = stack.cpu().since(before).each(points / 1e6)
    stack.settled()
    return Taken(result.points_a_second, lag, cost, (_size(stack) - size) / points)


def _size(stack: Stack) -> float:
    return stack.sizes(["stored_events"]) + stack.schemas_size("proj_%")
