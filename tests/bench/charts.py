"""Charts of one long series over HTTP: at rest, under ingest, and what they cost small writes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from statistics import median

import msgspec

from tests.bench import bodies
from tests.bench.bench import RUNS, Bench
from tests.bench.bodies import POINTS
from tests.bench.load import Background, Connection, Latencies, latencies, load, sending, small_writes, started
from tests.bench.stack import Stack, a_stack
from tests.bench.table import Row, number, row
from tests.end_to_end.api import Job

SIZES = (100_000, 1_000_000, 10_000_000)
BUCKETS = 1_000
_CHARTS = 40
_BUSY_SECONDS = 1.5
"""Of charts of one size, while ingest runs."""
_WRITE_SECONDS = 5
_BETWEEN_WRITES = 0.005


def measure(bench: Bench) -> Iterator[Row]:
    """Every size, idle and busy, beside a scan of as many rows in PostgreSQL."""
    with a_stack() as stack:
        curves = curves_of(bench, stack)
        yield from _idle(bench, stack, curves)
        yield from _busy(bench, stack, curves)
        yield from _small_writes(bench, stack, curves)


def curves_of(bench: Bench, stack: Stack) -> dict[int, Job]:
    """A run for each size, with one series of so many points."""
    curves = dict(zip(SIZES, stack.jobs(len(SIZES)), strict=True))
    for size, job in curves.items():
        sending(stack.port, job, bodies.one_series(job.run_id, bench.sized(size))).results()
    stack.settled()
    stack.ask("VACUUM ANALYZE")
    return curves


def open_charts(stack: Stack, job: Job, goes_on: Callable[[int], bool]) -> list[float]:
    """Seconds of each chart, while `goes_on` is true of the number of those that were opened."""
    connection = Connection(stack.port)
    taken: list[float] = []
    path = f"/api/runs/{job.run_id}/series/data?key=loss&buckets={BUCKETS}"
    answer = b""
    while goes_on(len(taken)):
        began = time.perf_counter()
        answer = connection.get(path, stack.api.token)
        taken.append(time.perf_counter() - began)
    connection.close()
    columns = msgspec.json.decode(answer)["loss"]
    assert 0 < len(columns["step"]) <= BUCKETS
    assert sum(columns["count"]) > BUCKETS
    return taken


def _idle(bench: Bench, stack: Stack, curves: Mapping[int, Job]) -> Iterator[Row]:
    for size, job in curves.items():
        open_charts(stack, job, lambda count: count < 5)
        taken = [latencies(open_charts(stack, job, lambda count: count < _CHARTS)) for _ in range(bench.repeats)]
        scan = [_row_scan(stack, bench.sized(size), bench.repeats)]
        note = f"p95 {number(max(one.p95 for one in taken))} ms; floor: row scan"
        yield row(_what(size, "idle"), "<= 5 ms", [one.median for one in taken], "ms", scan, note)


def _busy(bench: Bench, stack: Stack, curves: Mapping[int, Job]) -> Iterator[Row]:
    """While published JSON comes at half the rate this machine can take."""
    jobs = stack.warm_jobs(RUNS)
    full = load(stack.port, jobs, "published JSON", 2, bench.sized(200)).points_a_second
    every = RUNS * POINTS / (full / 2)
    seconds = (_BUSY_SECONDS * len(curves) + 1) * bench.repeats
    ingest = started(stack.port, jobs, "published JSON", 2 + bench.sized(200), int(seconds / every), every)
    found: dict[int, list[Latencies]] = {size: [] for size in curves}
    for _ in range(bench.repeats):
        for size, job in curves.items():
            found[size].append(latencies(open_charts(stack, job, _for(_BUSY_SECONDS))))
    ingest.results()
    stack.caught_up()
    note = f"ingest at {number(full / 2)} points/s"
    for size, taken in found.items():
        middle, slow = [one.median for one in taken], [one.p95 for one in taken]
        yield row(_what(size, "busy, median"), "<= 10 ms", middle, "ms", note=note)
        yield row(_what(size, "busy, p95"), "<= 30 ms", slow, "ms", note=note)


def _small_writes(bench: Bench, stack: Stack, curves: Mapping[int, Job]) -> Iterator[Row]:
    """From a run of its own, while the longest chart is opened again and again."""
    (job,) = stack.jobs(1)
    seconds = max(1, bench.sized(_WRITE_SECONDS))
    alone, busy, opened = [], [], 0
    for _ in range(bench.repeats):
        (taken,) = Background([small_writes(stack.port, job, seconds, _BETWEEN_WRITES)]).results()
        alone.append(latencies(taken))
        writes = Background([small_writes(stack.port, job, seconds, _BETWEEN_WRITES)])
        opened = len(open_charts(stack, curves[SIZES[-1]], _for(seconds)))
        busy.append(latencies(writes.results()[0]))
    note = f"median {number(median(one.median for one in busy))} ms, {opened / seconds:.0f} charts/s; floor: no charts"
    what = "a small write while a chart of 10,000,000 points is opened: p99"
    yield row(what, "<= 30 ms", [one.p99 for one in busy], "ms", [one.p99 for one in alone], note)


def _for(seconds: float) -> Callable[[int], bool]:
    until = time.perf_counter() + seconds
    return lambda _: time.perf_counter() < until


def _what(size: int, when: str) -> str:
    return f"chart of {size:,} points, {when}"


def _row_scan(stack: Stack, points: int, times: int) -> float:
    """Milliseconds of the same chart from a table with a row for each point."""
    stack.database.execute(
        "DROP TABLE IF EXISTS floor; CREATE TABLE floor (series int4, step int8, value float8);"
        f"INSERT INTO floor SELECT 1, g, random() FROM generate_series(1, {points}) g;"
        "CREATE INDEX ON floor (series, step)"
    )
    stack.ask("VACUUM ANALYZE floor")
    scan = (
        "SELECT min(step), min(value), max(value), avg(value), count(*) FROM floor WHERE series = 1"
        f" GROUP BY step * {BUCKETS} / {points + 1} ORDER BY 1"
    )
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        assert len(stack.database.execute(scan.encode()).fetchall()) == min(BUCKETS, points)
        taken.append(time.perf_counter() - began)
    stack.ask("DROP TABLE floor")
    return median(taken) * 1e3
