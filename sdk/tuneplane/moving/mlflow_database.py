"""MLflow's SQLite store: runs, metrics, params, tags in tables of these names."""

from __future__ import annotations

import math
import sqlite3
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Callable

from tuneplane.moving.mlflow_run import MlflowRun, seconds, source_run
from tuneplane.moving.source import Found, Item, RefusedRun, SourceRefused, Unread
from tuneplane.moving.sqlite_files import needed, opened

_TABLES = {
    "experiments": ("experiment_id", "name", "lifecycle_stage"),
    "runs": ("run_uuid", "name", "status", "start_time", "end_time", "lifecycle_stage", "experiment_id"),
    "metrics": ("key", "value", "timestamp", "run_uuid", "step", "is_nan"),
    "params": ("key", "value", "run_uuid"),
    "tags": ("key", "value", "run_uuid"),
}
_INFINITE = sys.float_info.max
"""What MLflow stores for an infinity, and reads as one."""
# Runs that were not deleted, in the order they were made.
_RUNS = """SELECT runs.run_uuid, runs.name, runs.status, runs.start_time, runs.end_time,
       experiments.name AS experiment,
       runs.lifecycle_stage = 'deleted' OR experiments.lifecycle_stage = 'deleted' AS deleted
  FROM runs LEFT JOIN experiments USING (experiment_id) ORDER BY runs.rowid"""
# A run's points in the order they were stored.
_POINTS = "SELECT key, step, timestamp, value, is_nan FROM metrics WHERE run_uuid = ? ORDER BY rowid"


def runs(path: Path, tell: Callable[[str], None]) -> Iterator[Found]:
    """The runs of a store."""
    try:
        with opened(path) as connection:
            for table, names in _TABLES.items():
                needed(path, connection, table, *names)
            rows = connection.execute(_RUNS).fetchall()
            deleted = sum(bool(row["deleted"]) for row in rows)
            if deleted:
                tell(f"{path}: {deleted} deleted runs, not imported")
            found = [_run(path, connection, row) for row in rows if not row["deleted"]]
    except SourceRefused as problem:
        yield RefusedRun(path.name, str(problem))
        return
    yield from map(source_run, found)


def _run(path: Path, connection: sqlite3.Connection, row: sqlite3.Row) -> MlflowRun:
    run_id = str(row["run_uuid"])
    return MlflowRun(
        run_id=run_id,
        name=str(row["name"] or ""),
        experiment=str(row["experiment"] or ""),
        status=str(row["status"] or ""),
        started=seconds(row["start_time"]),
        ended=seconds(row["end_time"]),
        params=_texts(connection, "params", run_id),
        tags=_texts(connection, "tags", run_id),
        points=partial(_points, path, run_id),
    )


def _texts(connection: sqlite3.Connection, table: str, run_id: str) -> dict[str, str]:
    rows = connection.execute(f"SELECT key, value FROM {table} WHERE run_uuid = ? ORDER BY key", (run_id,))  # noqa: S608 - one of two words
    return {str(key): str(value or "") for key, value in rows}


def _points(path: Path, run_id: str) -> Iterator[Item]:
    with opened(path) as connection:
        for key, step, timestamp, value, is_nan in connection.execute(_POINTS, (run_id,)):
            numbers = isinstance(value, (int, float)) and isinstance(timestamp, int) and isinstance(step, int)
            if not (numbers and isinstance(key, str)):
                yield Unread(f"{path.name}: table metrics, run {run_id}, key {key!r:.200}: no number under a name")
            elif is_nan:
                yield key, step, timestamp / 1000, math.nan
            elif abs(value) >= _INFINITE:
                yield key, step, timestamp / 1000, math.copysign(math.inf, value)
            else:
                yield key, step, timestamp / 1000, float(value)
