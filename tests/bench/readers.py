"""Live streams: 300 readers of one job, 20 lines a second, from acknowledged to there."""

from __future__ import annotations

import time
from collections.abc import Iterator

from tests.bench.bench import Bench
from tests.bench.load import latencies
from tests.bench.stack import a_stack
from tests.bench.table import Row, number, row
from tests.end_to_end.many_readers import ManyReaders

READERS = 300
_A_SECOND = 20
_SECONDS = 60


def measure(bench: Bench) -> Iterator[Row]:
    """p99 over all readers and lines; that nothing is missing or doubled is checked too."""
    lines = bench.sized(_A_SECOND * _SECONDS)
    with a_stack() as stack:
        (job,) = stack.jobs(1)
        acknowledged: list[float] = []
        with ManyReaders(stack.api, job.run_id, READERS) as readers:
            began = time.monotonic()
            for at in range(lines):
                time.sleep(max(0.0, began + at / _A_SECOND - time.monotonic()))
                job.post("logs", chunks=[f"{at}\n"], eof=False)
                acknowledged.append(time.time())
            readers.await_lines(lines)
    wrong = sum([one.n for one in told] != list(range(lines)) for told in readers.told)
    late = latencies([max(0.0, one.at - acknowledged[one.n]) for told in readers.told for one in told])
    note = f"median {number(late.median)} ms, {wrong} readers missed or were told twice"
    yield row(f"{READERS} readers of a live log, acknowledged to there: p99", "<= 500 ms", [late.p99], "ms", note=note)
