"""Proving that nothing in the log was altered, bodies included."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

from adapters.embedded_postgres.launcher import EmbeddedPostgres
from adapters.postgres.database import Database
from adapters.postgres.event_log import PostgresEventLog
from application.commands.verify_log import verify_log
from application.event_log.settlement import as_candidate
from domain.events import LogReported
from domain.ids import Attempt, Position, RunId
from domain.log import report_numbered
from entrypoints.cli.migrate import migrated
from tests.bench.bench import Bench
from tests.bench.table import Row, number, row
from tests.end_to_end.installation import a_folder

_EVENTS = 200_000
_GROUP = 64
_TEXT = "step 1 loss 0.1 " * 6


def measure(bench: Bench) -> Iterator[Row]:
    """Many small events, and large ones."""
    count = bench.sized(_EVENTS)
    what = "verification of the chain with bodies"
    with a_folder() as folder, EmbeddedPostgres(folder / "postgres") as postgres:
        migrated(postgres.conninfo)
        with _log(postgres.conninfo) as log:
            appended = _append(log, count)
            seconds, floors = [], []
            for _ in range(bench.repeats):
                seconds.append(_verified(log))
                floors.append(count / _floor(log))
    note = f"{count:,} log lines, appended at {number(count / appended)}/s; floor: two SHA-256 of each, in memory"
    speed = [count / each for each in seconds]
    yield row(f"{what}, small events", ">= 120,000 events/s", speed, "events/s", floors, note)
    stack = bench.filled()
    with _log(stack.server.dsn()) as log:
        seconds = [_verified(log) for _ in range(bench.repeats)]
    events, size = int(stack.ask("SELECT count(*) FROM stored_events")), stack.sizes(["stored_events"])
    note = f"{number(size / 1e6 / min(seconds))} MB/s; batches of 2,048 points"
    yield row(f"{what}, large events", "", [events / each for each in seconds], "events/s", note=note)


@contextmanager
def _log(dsn: str) -> Iterator[PostgresEventLog]:
    with closing(Database(dsn)) as database, closing(PostgresEventLog(database)) as log:
        yield log


def _append(log: PostgresEventLog, count: int) -> float:
    """Seconds for so many lines of one job's output."""
    began = time.perf_counter()
    for first in range(0, count, _GROUP):
        log.append(
            [
                [as_candidate(report_numbered(_line(at), "bench", at + 1))]
                for at in range(first, min(first + _GROUP, count))
            ]
        )
    return time.perf_counter() - began


def _line(at: int) -> LogReported:
    return LogReported(run=RunId("bench"), attempt=Attempt(0), pieces=(f"{at} {_TEXT}\n",))


def _verified(log: PostgresEventLog) -> float:
    began = time.perf_counter()
    checked = verify_log(log)
    assert checked.fault is None, checked.fault
    return time.perf_counter() - began


def _floor(log: PostgresEventLog) -> float:
    """Seconds to hash the bodies, and as many hashes of the chain, with everything in memory."""
    bodies = []
    position = Position(0)
    while events := log.read(position, limit=2_000, max_bytes=16_000_000):
        bodies += [one.payload or b"" for one in events]
        position = events[-1].position
    chain = bytes(200)
    began = time.perf_counter()
    for body in bodies:
        hashlib.sha256(body).digest()
        hashlib.sha256(chain).digest()
    return time.perf_counter() - began
