"""Memory of server and projector: started, and after 10 M points and charts of them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

from tests.bench import processes
from tests.bench.bench import Bench, fill
from tests.bench.charts import curves_of, open_charts
from tests.bench.stack import a_stack
from tests.bench.table import Row, row

_AT_REST_SECONDS = 3
_FLOOR = "import numpy, psycopg, msgspec, sys; print(flush=True); sys.stdin.read()"


def measure(bench: Bench) -> Iterator[Row]:
    """PSS: memory that is shared counts once."""
    idle, after, notes = [], [], []
    floors = [_floor()]
    for _ in range(1 if bench.quick else bench.repeats):
        with a_stack() as stack:
            time.sleep(_AT_REST_SECONDS)
            before = stack.pss()
            fill(stack, bench.sized(10_000_000))
            for job in curves_of(bench, stack).values():
                open_charts(stack, job, lambda count: count < 20)
            used = stack.pss()
        idle.append(sum(before))
        after.append(sum(used))
        notes.append((before, used))
    (server, projector), (later, projector_later) = notes[len(notes) // 2]
    floor_is = "floor: two processes that imported numpy and psycopg"
    note = f"server {server:.0f}, projector {projector:.0f}; {floor_is}"
    yield row("memory (PSS) of server and projector, idle", "<= 110 MB", idle, "MB", floors, note)
    note = f"server {later:.0f}, projector {projector_later:.0f}"
    what = "memory (PSS) of server and projector, after 20 M points and charts"
    yield row(what, "<= 160 MB (after 10 M)", after, "MB", floors, note)


def _floor() -> float:
    """Two Python processes that speak to PostgreSQL and know numpy, and do nothing."""
    command = [sys.executable, "-c", _FLOOR]
    started = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(2)]
    try:
        for one in started:
            assert one.stdout is not None
            one.stdout.readline()
        return sum(processes.pss(one.pid) for one in started)
    finally:
        for one in started:
            one.communicate()
