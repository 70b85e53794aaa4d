"""Tails as readers see them: unpacked and merged once, however many charts of a run are opened."""

from __future__ import annotations

import threading
from collections import OrderedDict

import msgspec
from psycopg import Connection
from psycopg.rows import TupleRow

from adapters.postgres.series.tail import events_at
from application.series.held import NOTHING, Held
from domain.ids import Attempt, Position, RunId

_POINTERS = "SELECT attempt, position FROM {schema}.tail WHERE run = %s ORDER BY attempt, position"


class _Read(msgspec.Struct, frozen=True):
    positions: tuple[Position, ...]
    held: Held


class TailCache:
    """For all readers of one process. Bounded; events never change, so what is kept is never wrong.

    An event whose body was erased meanwhile may show until its tail is compacted.
    """

    def __init__(self, most_bytes: int = 16_000_000) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[tuple[str, RunId, Attempt], _Read] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, conn: Connection[TupleRow], schema: str, run: RunId) -> dict[Attempt, Held]:
        """The tail of each attempt that has one, as `conn`'s snapshot sees it."""
        pointers: dict[Attempt, list[Position]] = {}
        for attempt, position in conn.execute(_POINTERS.format(schema=schema).encode(), (run,), binary=True).fetchall():
            pointers.setdefault(attempt, []).append(position)
        return {
            attempt: self._tail(conn, (schema, run, attempt), tuple(positions))
            for attempt, positions in pointers.items()
        }

    def _tail(
        self, conn: Connection[TupleRow], key: tuple[str, RunId, Attempt], positions: tuple[Position, ...]
    ) -> Held:
        with self._lock:
            kept = self._kept.get(key)
        if kept is None or kept.positions != positions[: len(kept.positions)]:
            kept = _Read((), NOTHING)
        missing = positions[len(kept.positions) :]
        if not missing:
            return kept.held
        events = events_at(conn, missing)
        invalid = [point for event in events for point in event.invalid]
        held = kept.held.and_then([event.batch for event in events], invalid)
        self._keep(key, _Read(positions, held))
        return held

    def _keep(self, key: tuple[str, RunId, Attempt], read: _Read) -> None:
        with self._lock:
            before = self._kept.pop(key, None)
            self._bytes += read.held.size_bytes - (before.held.size_bytes if before else 0)
            self._kept[key] = read
            while self._bytes > self._most_bytes:
                _, dropped = self._kept.popitem(last=False)
                self._bytes -= dropped.held.size_bytes
