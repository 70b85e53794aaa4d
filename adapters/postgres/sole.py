"""Work that one process does at a time, by advisory locks: they end with the session, however that ends."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from adapters.postgres.database import Database


class PostgresSole:
    """See `application/ports/sole.py`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def alone(self, work: str) -> Iterator[bool]:
        number = int.from_bytes(hashlib.sha256(f"sole {work}".encode()).digest()[:8], "big", signed=True)
        connection = self._database.connect()
        try:
            row = connection.execute("SELECT pg_try_advisory_lock(%s)", (number,)).fetchone()
            yield bool(row and row[0])
        finally:
            connection.close()
