"""Room on disk: the log and all views, once everything is compacted."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.bench import Bench
from tests.bench.floor import floor
from tests.bench.stack import Stack
from tests.bench.table import Row, row


def measure(bench: Bench) -> Iterator[Row]:
    """10 M points in 40 series. Deterministic, so once."""
    stack = bench.filled()
    points = int(stack.ask("SELECT sum(count) FROM proj_series_v2.summary")) + _in_tails(stack)
    log, views = stack.sizes(["stored_events"]) / points, stack.schemas_size("proj_%") / points
    written = float(stack.ask("SELECT wal_bytes FROM pg_stat_wal")) / points
    rows = floor(stack, bench.sized(400))
    note = f"log {log:.1f}, views {views:.1f}; {points:,} points, {_in_tails(stack):,} in tails"
    yield row("disk a point, log and views", "<= 25 bytes", [log + views], "bytes", [rows.bytes_a_point], note)
    yield row(
        "written to the database's log for a point", "", [written], "bytes", note="log and views, since the start"
    )


def _in_tails(stack: Stack) -> int:
    return int(stack.ask("SELECT coalesce(sum(points), 0) FROM proj_series_v2.tail"))
