"""A tracker's SQLite file, opened for reading only; what is wrong with it is said with the file's name."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tuneplane.moving.files import is_regular
from tuneplane.moving.source import SourceRefused


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that cannot write. Raises SourceRefused, also for what goes wrong while it is used."""
    if not is_regular(path):
        raise SourceRefused(path, "the file", "has to be there, and no symbolic link")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=30.0)) as connection:
            connection.row_factory = sqlite3.Row
            yield connection
    except (sqlite3.Error, UnicodeDecodeError) as problem:
        raise SourceRefused(path, "the database", f"{problem}{_advice(str(problem))}") from None


def _advice(problem: str) -> str:
    if "locked" in problem:
        return "; import again when the program that writes to it has ended"
    if "unable to open" in problem or "readonly" in problem:
        return "; copy it, with the -wal file beside it, to a folder that can be written to"
    return ""


def columns(connection: sqlite3.Connection, table: str) -> set[str]:
    """Names of a table's columns; none where there is no such table. A view is none: it may go on for ever."""
    query = "SELECT name FROM pragma_table_info(?) WHERE (SELECT type FROM sqlite_master WHERE name = ?) = 'table'"
    return {str(row["name"]) for row in connection.execute(query, (table, table))}


def needed(path: Path, connection: sqlite3.Connection, table: str, *names: str) -> None:
    """Raises SourceRefused where the table lacks a column."""
    missing = [name for name in names if name not in columns(connection, table)]
    if missing:
        raise SourceRefused(path, f"table {table}", f"has to have {', '.join(missing)}")
