"""The projector: follows the log and keeps every version of every projection up to date.

Any number may run; a version is driven by the one that holds its lock, the others wait quietly and take over.
"""

from __future__ import annotations

import logging
import os
import select
import time
from collections.abc import Iterable, Sequence
from contextlib import closing

import psycopg
from psycopg import Connection
from psycopg.rows import TupleRow

from adapters.postgres.database import Database
from adapters.postgres.projector_bisection import advance_whatever_happens
from adapters.postgres.projector_lockstep import decoded
from adapters.postgres.projector_tracked import Fenced, Tracked
from adapters.postgres.projector_tracking import Factories, claim, is_away, prepare, writing_connection
from application.ports.event_log import EventLog
from application.projections.faults import described
from domain.errors import TryAgain
from domain.ids import Position

BATCH = 64
"""Events the live versions take in at once; also <= 4 MB of payload (the port's own bound)."""
CATCHING_UP = 512
"""Events a version that is behind takes in at once."""
GATHER_SECONDS = 0.008
"""Between the beginnings of two batches that are not full: a batch of one event costs as much as one of several."""
_TICK_SECONDS = 1.0
"""How often it looks for new versions and, should a notification be lost, for new events."""
_PAUSE_SECONDS = 0.3
"""Between attempts to reach a database that is away."""
_REST_SECONDS = 60.0
"""How long maintenance of a view rests after it failed."""
_QUIET_SECONDS = 0.1
"""After so long without news the views may tidy up."""
_LEAST_TIDYING_SECONDS = 60.0
"""However quiet the log is, the views are asked so often whether there is something to tidy up."""
_BATCHES_WITHOUT_TIDYING = 64
"""However busy the log is, tidying is not put off for longer than this."""

_log = logging.getLogger(__name__)


class StopRequest:
    """Asks a projector to stop after its current batch, from a signal handler or another thread."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        self.made = False

    def make(self) -> None:
        """Asks; may be repeated."""
        if not self.made:
            self.made = True
            os.write(self._writer, b"x")

    def fileno(self) -> int:
        """Readable once it was asked."""
        return self._reader

    def wait(self, seconds: float) -> None:
        """Returns after `seconds`, or at once when asked."""
        select.select([self], [], [], seconds)

    def close(self) -> None:
        """Frees the pipe."""
        os.close(self._reader)
        os.close(self._writer)


class Projector:
    """Follows one log until it is asked to stop."""

    def __init__(self, database: Database, log: EventLog, views: Factories, stop: StopRequest) -> None:
        self._database = database
        self._log = log
        self._views = views
        self._stop = stop

    def run(self) -> None:
        """Returns when it was asked to stop. A database that is away is waited for."""
        while not self._stop.made:
            try:
                with closing(writing_connection(self._database)) as conn:
                    _Following(conn, self._log, self._views, self._stop).run()
            except (psycopg.Error, TryAgain) as problem:
                if not is_away(problem):
                    raise
                _log.warning("the database is away (%s); trying again", type(problem).__name__)
                self._stop.wait(_PAUSE_SECONDS)


class _Following:
    """What one session with the database drives."""

    def __init__(self, conn: Connection[TupleRow], log: EventLog, views: Factories, stop: StopRequest) -> None:
        self._conn = conn
        self._log = log
        self._views = views
        self._stop = stop
        self._held: list[Tracked] = []
        self._known = Position(0)
        """The log reaches at least so far."""
        self._began = 0.0
        """When the last batch began."""
        self._claim_at = 0.0
        self._resting: dict[str, float] = {}
        self._untidy = 0
        """Batches since the views said that there is nothing to tidy up."""
        self._tidied = time.monotonic()
        """When they were last asked."""

    def run(self) -> None:
        prepare(self._conn, self._views)
        # Notifications that come with the answer to a statement.
        self._conn.add_notify_handler(lambda note: self._note(note.channel.encode(), note.payload.encode()))
        self._conn.execute("LISTEN appended")
        self._conn.execute("LISTEN projections")
        self._known = self._log.head().position
        while not self._stop.made:
            try:
                self._claim_now_and_then()
                self._gather()
                moved = self._step()
            except Fenced:
                self._claim_at = 0.0
                continue
            if moved:
                self._untidy += 1
                if self._untidy % _BATCHES_WITHOUT_TIDYING == 0:
                    self._tidy()
                self._hear(0)
            elif self._untidy and not self._hear(_QUIET_SECONDS):
                self._untidy = int(self._tidy())
            elif not self._untidy:
                self._hear(_TICK_SECONDS)
                self._untidy = int(time.monotonic() - self._tidied >= _LEAST_TIDYING_SECONDS)

    def _claim_now_and_then(self) -> None:
        now = time.monotonic()
        if now >= self._claim_at:
            self._held = claim(self._conn, self._views, self._held)
            self._claim_at = now + _TICK_SECONDS

    def _gather(self) -> None:
        """Rests while events come in quick succession; what comes after a pause is taken in at once."""
        left = self._began + GATHER_SECONDS - time.monotonic()
        front = max((one.position for one in self._held), default=Position(0))
        if left > 0 and 0 < self._known - front < BATCH:
            self._stop.wait(left)

    def _step(self) -> bool:
        """One batch for those in front, one for those behind; False where nothing is to be read."""
        front = max((one.position for one in self._held), default=Position(0))
        live = [one for one in self._held if one.position == front]
        behind = [one for one in self._held if one.position < front]
        moved = bool(live) and front < self._known and self._follow(live)
        return catch_up(self._conn, self._log, behind, front) or moved

    def _follow(self, live: Sequence[Tracked]) -> bool:
        self._began = time.monotonic()
        events = self._log.read(live[0].position, limit=BATCH)
        if not events:
            self._known = live[0].position
            return False
        advance_whatever_happens(self._conn, live, decoded(events, live), events[-1].position)
        return True

    def _tidy(self) -> bool:
        """Lets the views tidy up; whether one of them has more to do."""
        self._tidied = time.monotonic()
        worked = [self._tidy_one(one) for one in self._held]
        return any(worked)

    def _tidy_one(self, one: Tracked) -> bool:
        if time.monotonic() < self._resting.get(one.schema, 0):
            return False
        try:
            return one.view.idle(self._conn, one.schema)
        except Exception as error:
            if is_away(error):
                raise
            _log.error("maintenance of %s failed: %s", one.schema, described(error))
            one.view.reset_cache()
            self._resting[one.schema] = time.monotonic() + _REST_SECONDS
            return False

    def _hear(self, seconds: float) -> bool:
        """Waits at most `seconds` for news; whether there is something to read."""
        self._drain()
        if seconds and not self._behind() and self._claim_at:
            ready, _, _ = select.select([self._conn.fileno(), self._stop.fileno()], [], [], seconds)
            if self._conn.fileno() in ready:
                self._conn.pgconn.consume_input()
                self._drain()
            elif seconds >= _TICK_SECONDS:
                self._known = self._log.head().position
        return self._behind()

    def _behind(self) -> bool:
        return any(one.position < self._known for one in self._held)

    def _drain(self) -> None:
        # psycopg's own generator costs as much as a small statement, and it is asked after each.
        while (note := self._conn.pgconn.notifies()) is not None:
            self._note(note.relname, note.extra)

    def _note(self, channel: bytes, payload: bytes) -> None:
        if channel == b"projections":
            self._claim_at = 0.0
        elif payload.isdigit():
            self._known = max(self._known, Position(int(payload)))


def catch_up(conn: Connection[TupleRow], log: EventLog, behind: Iterable[Tracked], front: Position) -> bool:
    """One big batch, at most up to `front`, for those furthest behind; False where none of `behind` is."""
    waiting = [one for one in behind if one.position < front]
    if not waiting:
        return False
    last = min(one.position for one in waiting)
    group = [one for one in waiting if one.position == last]
    bound = min((one.position for one in waiting if one.position > last), default=front)
    tags = frozenset[str]().union(*(one.view.reads for one in group))
    events = log.read(last, limit=CATCHING_UP, until=bound, tags=tags)
    to = events[-1].position if events else bound
    advance_whatever_happens(conn, group, decoded(events, group), to)
    return True
