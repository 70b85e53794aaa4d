"""What a view must do that is not made of records, so that the projector can carry it along.

Such a view owns one PostgreSQL schema for each of its versions and writes it in the projector's transaction.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import psycopg

from application.ports.event_log import RecordedEvent
from domain.events import Event


class SpecialView(Protocol):
    """One object serves one version (schema) at a time; the projector makes one for each."""

    name: str
    """`[a-z_]+`, unique among all projections."""
    version: int
    """Of the code: raised when what is written changes."""
    reads: frozenset[str]
    """Tags of the events it takes in."""

    def create(self, conn: psycopg.Connection, schema: str) -> None:
        """Makes the tables in the empty schema `schema`, in the caller's transaction."""
        ...

    def project(self, conn: psycopg.Connection, schema: str, events: list[tuple[RecordedEvent, Event]]) -> None:
        """Takes in one batch's events, in order, in the caller's transaction (never in pipeline mode).

        Must not commit. Any exception but a lost connection counts as a fault of one of the events: the
        batch is rolled back and tried again event by event.
        """
        ...

    def idle(self, conn: psycopg.Connection, schema: str) -> bool:
        """Maintenance when there is nothing to read; True when it did something and may have more to do.

        `conn` is in autocommit mode and in no transaction. A call takes well under a second.
        """
        ...

    def reset_cache(self) -> None:
        """Forgets what it remembers of the tables: the transaction was rolled back, or the connection is new."""
        ...

    def fingerprint(self, conn: psycopg.Connection, schema: str) -> Iterator[tuple[str, bytes]]:
        """(name, content) of everything it holds, in code-point order of the names, in constant memory.

        Equal for two versions that have taken in the same events, however the events came in batches.
        """
        ...
