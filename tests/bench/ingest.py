"""Durable ingest over HTTP: 4 clients with 10 series each, in every shape, projections keeping up."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from tests.bench.bench import RUNS, Bench
from tests.bench.bodies import POINTS, SHAPES, Shape
from tests.bench.floor import Floor, floor
from tests.bench.load import Loaded, load
from tests.bench.stack import Cpu, Lag, Stack, a_stack
from tests.bench.table import Row, number, row

_MUST: dict[Shape, str] = {
    "published JSON": ">= 450,000 points/s, ratio >= 0.65",
    "columnar JSON": ">= 900,000 points/s, ratio >= 1.2",
    "MessagePack": ">= 900,000 points/s, ratio >= 1.2",
}
_MUST_CPU: dict[Shape, str] = {
    "published JSON": "<= 2.2 s",
    "columnar JSON": "<= 1.2 s",
    "MessagePack": "<= 1.2 s",
}
_BATCHES = 400
"""Of each client."""


class Taken(msgspec.Struct, frozen=True):
    """One repeat."""

    loaded: Loaded
    lag: Lag
    cpu: Cpu
    """For 1 M points, until the views had them."""
    group: float
    """Events in a transaction of the log."""


def measure(bench: Bench) -> Iterator[Row]:
    """All shapes and their floor, in turn."""
    floors: list[Floor] = []
    taken: dict[Shape, list[Taken]] = {shape: [] for shape in SHAPES}
    with a_stack() as stack:
        for _ in range(bench.repeats):
            floors.append(floor(stack, bench.sized(_BATCHES)))
            for shape in SHAPES:
                taken[shape].append(take(stack, shape, bench.sized(_BATCHES)))
    rates = [one.points_a_second for one in floors]
    costs = [one.cpu for one in floors]
    for shape, found in taken.items():
        note = _note(found)
        speed = [one.loaded.points_a_second for one in found]
        yield row(f"durable ingest, {shape}, 4 clients", _MUST[shape], speed, "points/s", rates, note)
    for shape, found in taken.items():
        late = [one.lag.millis for one in found]
        note = f"{_median(one.lag.events for one in found)} events; {_median(one.lag.tail_points for one in found)}"
        yield row(f"lag of the views at the end, {shape}", "<= 100 ms", late, "ms", note=f"{note} points in tails")
    for shape, found in taken.items():
        cost = [one.cpu.total for one in found]
        yield row(f"CPU for 1 M points, {shape}", _MUST_CPU[shape], cost, "s", costs, _split(found))


def take(stack: Stack, shape: Shape, batches: int) -> Taken:
    """One load on fresh runs."""
    jobs = stack.warm_jobs(RUNS)
    before, groups, events = stack.cpu(), stack.counter("tuneplane_commit_groups"), _events(stack)
    result = load(stack.port, jobs, shape, 2, batches)
    lag = stack.caught_up()
    cost = stack.cpu().since(before).each(RUNS * batches * POINTS / 1e6)
    transactions = stack.counter("tuneplane_commit_groups") - groups
    return Taken(result, lag, cost, (_events(stack) - events) / transactions)


def _events(stack: Stack) -> float:
    return stack.counter("tuneplane_commit_events")


def _median(values: Iterator[float]) -> str:
    return number(float(np.median(list(values))))


def _note(found: list[Taken]) -> str:
    return (
        f"p50 {_median(one.loaded.requests.median for one in found)} ms, "
        f"p99 {_median(one.loaded.requests.p99 for one in found)} ms, "
        f"{_median(one.group for one in found)} events a transaction, clients' CPU "
        f"{_median(one.loaded.client_cpu / one.loaded.seconds for one in found)} cores"
    )


def _split(found: list[Taken]) -> str:
    middle = sorted(found, key=lambda one: one.cpu.total)[len(found) // 2]
    return str(middle.cpu)
