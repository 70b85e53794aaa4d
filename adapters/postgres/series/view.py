"""What the projector does with a series view: take in events, compact their points, tidy up."""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Iterable, Iterator, Sequence

from psycopg import Connection
from psycopg.rows import TupleRow

from adapters.postgres.series import compaction, tables, tail
from adapters.postgres.series.content import content
from adapters.postgres.series.tables import Limits, array
from adapters.postgres.series.tail import Reported, TailEvent, TailSize
from application.ports.event_log import RecordedEvent
from domain.events import Event, HardwareSampled, MetricsReported, SeriesOpened
from domain.events.series import Family
from domain.ids import Attempt, RunId

_OPEN = """
    INSERT INTO {schema}.series (run, number, key) SELECT * FROM unnest(%s::text[], %s::int4[], %s::text[])
    ON CONFLICT DO NOTHING"""
# Tails that are worth a compaction when there is nothing else to do; of all, or of those that grew.
_DUE = """
    SELECT run, attempt FROM {schema}.tail {where} GROUP BY run, attempt
    HAVING sum(points) >= %s * greatest(max(series_count), 1)"""
_TAILS = "SELECT DISTINCT run, attempt FROM {schema}.tail"
_OF_GROWN = "WHERE (run, attempt) IN (SELECT * FROM unnest(%s::text[], %s::int4[]))"
_VACUUM = "VACUUM (TRUNCATE off) {schema}.tail, {schema}.chunk"
_REPLACED_BEFORE_VACUUM = 3000
"""Chunks and pointers: what they leave is given back before it is as much as the points themselves."""
_IDLE_SECONDS = 0.1
"""After so long of tidying up, whoever reports has a turn."""
_MOST_REMEMBERED = 10_000
"""Tails; beyond, all are forgotten."""


class PostgresSeriesView:
    """One version of the view of one family; see `adapters/postgres/special_view.py`.

    Remembers of the tables only how long tails are; each compaction reads what else it needs.
    """

    version = 2

    def __init__(self, family: Family, limits: Limits | None = None) -> None:
        self.name = "series" if family == "scalar" else "hardware_series"
        self._family = family
        self._reported: type[Reported] = MetricsReported if family == "scalar" else HardwareSampled
        self.reads = frozenset(str(kind.__struct_config__.tag) for kind in (SeriesOpened, self._reported))
        self._limits = limits or Limits()
        self._replaced = 0
        """Chunks and pointers since the last vacuum."""
        self._grown: dict[tuple[RunId, Attempt], None] | None = None
        """Tails that grew since they were last looked through; None: look through all."""
        self._quiet_at: dict[tuple[RunId, Attempt], float] = {}
        """When tails that are too short will have been so for long; the next one first."""
        self._due: list[tuple[RunId, Attempt]] = []
        self._sizes: dict[tuple[RunId, Attempt], TailSize] = {}

    def create(self, conn: Connection[TupleRow], schema: str) -> None:
        """Makes the tables in the empty schema `schema`."""
        tables.create(conn, schema)

    def project(self, conn: Connection[TupleRow], schema: str, events: list[tuple[RecordedEvent, Event]]) -> None:
        """Takes in `events`, in the caller's transaction."""
        self._open(conn, schema, [event for _, event in events if isinstance(event, SeriesOpened)])
        reports: dict[tuple[RunId, Attempt], list[TailEvent]] = {}
        for recorded, event in events:
            if isinstance(event, self._reported):
                reported = tail.tail_event(recorded.position, event)
                reports.setdefault((event.run, event.attempt), []).append(reported)
        for (run, attempt), group in reports.items():
            self._take_in(conn, schema, run, attempt, group)

    def idle(self, conn: Connection[TupleRow], schema: str) -> bool:
        """Compacts some tails that are worth it, or gives back the room of what was replaced."""
        self._due = self._due or self._worth_it(conn, schema) or self._quiet()
        if self._due:
            enough = time.monotonic() + _IDLE_SECONDS
            while self._due and time.monotonic() < enough:
                with conn.transaction():
                    self._compact(conn, schema, *self._due.pop(), in_hand=[])
            return True
        if self._replaced < _REPLACED_BEFORE_VACUUM:
            return False
        self._replaced = 0
        conn.execute(_VACUUM.format(schema=schema).encode())
        return True

    def reset_cache(self) -> None:
        """Forgets how long tails are and which of them grew: all are looked through once."""
        self._grown = None
        self._quiet_at = {}
        self._due = []
        self._sizes = {}

    def fingerprint(self, conn: Connection[TupleRow], schema: str) -> Iterator[tuple[str, bytes]]:
        """The points and summary of each (run, key, attempt), however they are laid out in chunks."""
        for name, pieces in content(conn, schema):
            digest = hashlib.sha256()
            for piece in pieces:
                digest.update(piece)
            yield name, digest.digest()

    def _open(self, conn: Connection[TupleRow], schema: str, opened: Sequence[SeriesOpened]) -> None:
        mine = [event for event in opened if event.family == self._family]
        if mine:
            runs, keys = [event.run for event in mine], [event.key for event in mine]
            numbers = array(event.number for event in mine)
            conn.execute(_OPEN.format(schema=schema).encode(), (runs, numbers, keys))

    def _take_in(
        self, conn: Connection[TupleRow], schema: str, run: RunId, attempt: Attempt, events: Sequence[TailEvent]
    ) -> None:
        """Points to `events`, and compacts whenever the tail is full; then without a pointer."""
        size = self._sizes.get((run, attempt)) or tail.size(conn, schema, run, attempt)
        in_hand: list[TailEvent] = []
        for event in events:
            in_hand.append(event)
            size = _grown(size, event)
            if self._full(size):
                self._compact(conn, schema, run, attempt, in_hand=in_hand)
                in_hand, size = [], TailSize(0, 0, 0)
        if in_hand:
            tail.add(conn, schema, run, attempt, in_hand)
        self._remember(run, attempt, size)

    def _remember(self, run: RunId, attempt: Attempt, size: TailSize) -> None:
        if len(self._sizes) >= _MOST_REMEMBERED:
            self.reset_cache()
        self._sizes[run, attempt] = size
        if self._grown is not None:
            self._grown[run, attempt] = None

    def _worth_it(self, conn: Connection[TupleRow], schema: str) -> list[tuple[RunId, Attempt]]:
        """Tails to compact now."""
        least, grown = self._limits.idle_points_a_series, self._grown
        self._grown = {}
        if grown is None:
            self._wait_for(conn.execute(_TAILS.format(schema=schema).encode()).fetchall())
            return conn.execute(_DUE.format(schema=schema, where="").encode(), (least,)).fetchall()
        if not grown:
            return []
        self._wait_for(grown)
        arguments = [run for run, _ in grown], array(attempt for _, attempt in grown), least
        return conn.execute(_DUE.format(schema=schema, where=_OF_GROWN).encode(), arguments).fetchall()

    def _wait_for(self, tails: Iterable[tuple[RunId, Attempt]]) -> None:
        """Tails that grew just now."""
        quiet_at = time.monotonic() + self._limits.quiet_seconds
        for tail_of in tails:
            self._quiet_at.pop(tail_of, None)
            self._quiet_at[tail_of] = quiet_at

    def _quiet(self) -> list[tuple[RunId, Attempt]]:
        """Tails that have not grown for long."""
        now = time.monotonic()
        found = list(itertools.takewhile(lambda one: self._quiet_at[one] <= now, self._quiet_at))
        for one in found:
            del self._quiet_at[one]
        return found

    def _full(self, size: TailSize) -> bool:
        return size.events >= self._limits.events or size.points >= self._limits.points_a_series * max(size.series, 1)

    def _compact(
        self, conn: Connection[TupleRow], schema: str, run: RunId, attempt: Attempt, *, in_hand: Sequence[TailEvent]
    ) -> None:
        """Compacts the tail of a (run, attempt) and the events behind it, which have no pointers."""
        waiting = tail.take(conn, schema, run, attempt)
        self._replaced += len(waiting)
        self._sizes[run, attempt] = TailSize(0, 0, 0)
        self._replaced += compaction.compact(conn, schema, run, attempt, [*waiting, *in_hand])


def _grown(size: TailSize, event: TailEvent) -> TailSize:
    return TailSize(
        events=size.events + 1,
        points=size.points + len(event.batch.steps),
        series=max(size.series, len(event.batch.numbers)),
    )
