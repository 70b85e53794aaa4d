"""`python -m tuneplane.integrations.trackio DIR`: Trackio's project databases become runs.

A project is `<project>.db` (SQLite), by default below `~/.cache/huggingface/trackio`; a run of it is a run here, in one
attempt: Trackio writes no lifecycle, so how a run ended stays unknown.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable

from tuneplane.moving import command
from tuneplane.moving.files import folder, refused, walked
from tuneplane.moving.source import (
    Configuration,
    Found,
    Item,
    LeftOut,
    Part,
    RefusedRun,
    SourceRefused,
    SourceRun,
    Unread,
)
from tuneplane.moving.sqlite_files import columns, needed, opened
from tuneplane.moving.values import row_items
from tuneplane.single_keys import parsed

if TYPE_CHECKING:
    from collections.abc import Sequence

TRACKER = "trackio"
_OTHER_TABLES = {"system_metrics": "hardware sample", "traces": "trace", "alerts": "alert"}


def runs(root: Path, tell: Callable[[str], None]) -> Iterator[Found]:
    """The runs of each project, in the order they were begun. Raises SourceRefused."""
    if root.is_file():
        yield from _project(root.resolve())
        return
    found = False
    unread: list[SourceRefused] = []
    for place, names in walked(folder(root), tell, unread.append):
        for name in names:
            if name.endswith(".db"):
                found = True
                yield from _project(place / name)
            elif name.endswith(".parquet"):
                tell(f"{place / name}: a copy of the database for Spaces, not read")
    yield from refused(root, unread)
    if not found:
        tell(f"{root}: no project databases (*.db)")


def _project(path: Path) -> Iterator[Found]:
    try:
        with opened(path) as connection:
            needed(path, connection, "metrics", "id", "timestamp", "run_name", "step", "metrics")
            key = _run_key(connection, "metrics")
            names = connection.execute(
                f"SELECT {key} AS run, min(run_name) AS name, min(timestamp) AS began"  # noqa: S608 - words of ours
                f" FROM metrics GROUP BY {key} ORDER BY min(id)"
            ).fetchall()
    except SourceRefused as problem:
        yield RefusedRun(path.name, str(problem))
        return
    for row in names:
        identity = f"{path.stem}/{row['run']}"
        part = Part(identity, partial(_items, path, key, row["run"]))
        said = [f"Trackio run {row['name']!r} of project {path.stem!r}, first row at {row['began']}"]
        yield SourceRun(TRACKER, identity, str(row["name"] or "unnamed"), [part], tags=[path.stem], said=said)


def _run_key(connection: sqlite3.Connection, table: str) -> str:
    """What tells the runs of a table apart; empty where nothing does. Rows without an id are known by their name."""
    there = columns(connection, table)
    if "run_id" in there:
        return "coalesce(run_id, run_name)" if "run_name" in there else "run_id"
    return "run_name" if "run_name" in there else ""


def _items(path: Path, key: str, run_key: str) -> Iterator[Item]:
    with opened(path) as connection:
        yield from _configuration(connection, key, run_key)
        rows = connection.execute(
            f"SELECT id, timestamp, step, metrics FROM metrics WHERE {key} IS ? ORDER BY id",  # noqa: S608 - words of ours
            (run_key,),
        )
        for row in rows:
            try:
                values = _object(row["metrics"])
                ts, step = _seconds(row["timestamp"]), _step(row["step"])
            except (ValueError, TypeError) as problem:
                yield Unread(f"{path.name}: table metrics, id {row['id']}: {problem}")
            else:
                yield from row_items(values, step, ts)
        for table, kind in _OTHER_TABLES.items():
            if _run_key(connection, table) == key:
                (count,) = connection.execute(
                    f"SELECT count(*) FROM {table} WHERE {key} IS ?",  # noqa: S608 - words of ours
                    (run_key,),
                ).fetchone()
                if count:
                    yield LeftOut(kind, count)


def _configuration(connection: sqlite3.Connection, key: str, run_key: str) -> Iterator[Item]:
    """The run's settings."""
    if _run_key(connection, "configs") != key:
        return
    row = connection.execute(f"SELECT config FROM configs WHERE {key} IS ?", (run_key,)).fetchone()  # noqa: S608 - as above
    if row is None:
        return
    try:
        found = _object(row["config"])
    except (ValueError, TypeError) as problem:
        yield Unread(f"table configs, run {run_key!r:.200}: {problem}")
        return
    params = {name: value for name, value in found.items() if not name.startswith("_")}
    if params:
        yield Configuration(params)


def _object(text: str | bytes) -> Mapping[str, Any]:
    found = parsed(text)
    if not isinstance(found, dict):
        raise ValueError("a JSON object is expected")  # noqa: TRY004 - of the file, not of our callers
    return found


def _step(value: object) -> int:
    """A whole number, also as text or as a float; 1.7 is no step. Raises ValueError."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, (int, str)):
        return int(value)
    message = f"step {value!r:.100}: has to be a whole number"
    raise ValueError(message)


def _seconds(text: object) -> float:
    """ISO-8601; without an offset it is UTC, as Trackio writes it. Raises ValueError."""
    if not isinstance(text, str):
        raise ValueError("no time")  # noqa: TRY004 - as above
    when = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (when if when.tzinfo else when.replace(tzinfo=timezone.utc)).timestamp()


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    return command.main("trackio", runs, arguments)


if __name__ == "__main__":
    sys.exit(main())
