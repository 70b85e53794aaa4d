"""A small durable write: a line of a job's output, from one client, answered after COMMIT."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import psycopg

from tests.bench import processes
from tests.bench.bench import Bench
from tests.bench.load import Background, Latencies, latencies, small_writes
from tests.bench.stack import Stack, a_stack
from tests.bench.table import Row, number, row

_SECONDS = 8


def measure(bench: Bench) -> Iterator[Row]:
    """CPU and time of one write, as fast as one client goes."""
    costs, floors, notes, times, floor_times = [], [], [], [], []
    with a_stack() as stack:
        (job,) = stack.warm_jobs(1)
        for _ in range(bench.repeats):
            seconds = max(1.0, bench.sized(_SECONDS))
            cost, took = _floor(stack, seconds)
            floors.append(cost)
            floor_times.append(took.p99)
            before = stack.cpu()
            (taken,) = Background([small_writes(stack.port, job, seconds, 0)]).results()
            stack.caught_up()
            each = stack.cpu().since(before).each(len(taken) / 1e3)
            costs.append(each.total)
            times.append(latencies(taken))
            notes.append(f"ms: {each}; takes {number(times[-1].median)} ms, p99 {number(times[-1].p99)}")
    yield row("a small durable write: CPU", "<= 1.5 ms", costs, "ms", floors, notes[len(notes) // 2])
    yield row("a small durable write alone: p99", "", [one.p99 for one in times], "ms", floor_times)


def _floor(stack: Stack, seconds: float) -> tuple[float, Latencies]:
    """One row an INSERT in PostgreSQL itself: milliseconds of CPU of each, and how long they took."""
    stack.database.execute("CREATE TABLE floor (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text)")
    dsn = stack.server.dsn()
    before = processes.tree_cpu(stack.postmaster)
    (taken,) = Background([lambda: _inserts(dsn, seconds)]).results()
    cpu = processes.tree_cpu(stack.postmaster) - before
    stack.ask("DROP TABLE floor")
    return cpu / len(taken) * 1e3, latencies(taken)


def _inserts(dsn: str, seconds: float) -> Callable[[], list[float]]:
    connection = psycopg.connect(dsn, autocommit=True)

    def work() -> list[float]:
        taken, until = [], time.perf_counter() + seconds
        while (began := time.perf_counter()) < until:
            connection.execute("INSERT INTO floor (text) VALUES (%s)", ("step 1 loss 0.1\n",), prepare=True)
            taken.append(time.perf_counter() - began)
        connection.close()
        return taken

    return work
