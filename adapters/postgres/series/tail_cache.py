"""Tails as readers see them: unpacked and merged once, however many charts of a run are opened."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence

import msgspec
from psycopg import Connection
from psycopg.rows import TupleRow

from adapters.postgres.series.tail import TailEvent, events_at
from application.series.held import NOTHING, Held
from domain.ids import Attempt, Position, RunId

_POINTERS = "SELECT run, attempt, position FROM {schema}.tail {where} ORDER BY run, attempt, position"
_OF_RUNS = "WHERE run = ANY(%s::text[])"


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
        return self.read_many(conn, schema, [run]).get(run, {})

    def read_many(
        self, conn: Connection[TupleRow], schema: str, runs: Sequence[RunId] | None
    ) -> dict[RunId, dict[Attempt, Held]]:
        """The same of several runs, of all without; those without a tail are left out."""
        statement = _POINTERS.format(schema=schema, where="" if runs is None else _OF_RUNS).encode()
        rows = conn.execute(statement, () if runs is None else (list(runs),), binary=True).fetchall()
        pointers: dict[tuple[RunId, Attempt], list[Position]] = {}
        for run, attempt, position in rows:
            pointers.setdefault((run, attempt), []).append(position)
        known = {one: self._known((schema, *one), positions) for one, positions in pointers.items()}
        missing = {one: positions[len(known[one].positions) :] for one, positions in pointers.items()}
        events = {each.position: each for each in _events(conn, missing.values())}
        result: dict[RunId, dict[Attempt, Held]] = {}
        for (run, attempt), positions in pointers.items():
            new = [events[each] for each in missing[run, attempt] if each in events]
            read = known[run, attempt]
            if missing[run, attempt]:
                invalid = [point for event in new for point in event.invalid]
                read = _Read(tuple(positions), read.held.and_then([event.batch for event in new], invalid))
                self._keep((schema, run, attempt), read)
            result.setdefault(run, {})[attempt] = read.held
        return result

    def _known(self, key: tuple[str, RunId, Attempt], positions: Sequence[Position]) -> _Read:
        """What is kept of the first of `positions`."""
        with self._lock:
            kept = self._kept.get(key)
        if kept is None or kept.positions != tuple(positions[: len(kept.positions)]):
            return _Read((), NOTHING)
        return kept

    def _keep(self, key: tuple[str, RunId, Attempt], read: _Read) -> None:
        with self._lock:
            before = self._kept.pop(key, None)
            self._bytes += read.held.size_bytes - (before.held.size_bytes if before else 0)
            self._kept[key] = read
            while self._bytes > self._most_bytes:
                _, dropped = self._kept.popitem(last=False)
                self._bytes -= dropped.held.size_bytes


def _events(conn: Connection[TupleRow], positions: Iterable[Sequence[Position]]) -> list[TailEvent]:
    wanted = [each for some in positions for each in some]
    return events_at(conn, wanted) if wanted else []
