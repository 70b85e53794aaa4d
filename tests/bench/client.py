"""What reporting costs a training loop: `log()` of 10 scalars with the server up, hung and dead."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.bench import client_log
from tests.bench.bench import Bench
from tests.bench.stack import a_stack
from tests.bench.table import Row, number, row
from tests.end_to_end.api import Job

_STATES = {"up": "server up", "hung": "server hung", "dead": "server dead"}


def measure(bench: Bench) -> Iterator[Row]:
    """Microseconds a call, beside a JSON line to a buffered file."""
    found = []
    with a_stack() as stack:
        for job in stack.jobs(bench.repeats):
            with _told(job):
                found.append(client_log.measure(f"{stack.server.url}/api/ingest", bench.sized(client_log.CALLS)))
        stack.caught_up()
    floors = [one["floor"]["median_us"] for one in found]
    floors_p99 = [one["floor"]["p99_us"] for one in found]
    floors_slowest = [one["floor"]["max_us"] for one in found]
    for state, what in _STATES.items():
        note = f"{number(max(one[state]['refused_points'] for one in found))} points refused"
        line = f"log() of 10 scalars, {what}"
        yield row(f"{line}: median", "<= 10 us", _all(found, state, "median_us"), "us", floors, note)
        yield row(f"{line}: p99", "<= 50 us", _all(found, state, "p99_us"), "us", floors_p99)
        yield row(f"{line}: slowest", "<= 5,000 us", _all(found, state, "max_us"), "us", floors_slowest)


def _all(found: list[dict[str, dict[str, float]]], state: str, name: str) -> list[float]:
    return [one[state][name] for one in found]


@contextmanager
def _told(job: Job) -> Iterator[None]:
    """`client_log` reads in the environment whom it reports for."""
    before: Mapping[str, str] = dict(os.environ)
    os.environ.update(TUNEPLANE_JOB_RUN_ID=job.run_id, TUNEPLANE_JOB_TOKEN=job.token)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
