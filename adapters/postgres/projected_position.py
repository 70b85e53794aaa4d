"""How far the projector says it is: one listener for everybody in this process who waits."""

from __future__ import annotations

import logging
import select
import threading
import time
from contextlib import closing

import psycopg

from adapters.postgres.database import Database
from adapters.postgres.projector import StopRequest
from adapters.postgres.projector_cohort import POSITIONS
from domain.errors import TryAgain
from domain.ids import Position

POLL_SECONDS = 0.2
"""How soon a reader looks again by itself where nothing was heard."""
_PAUSE_SECONDS = 0.5
# How far all versions that serve are.
_SERVED = f"SELECT min(position) FROM {POSITIONS} JOIN projection_serving USING (name, version)"  # noqa: S608 - constants
_log = logging.getLogger(__name__)


class ProjectedPosition:
    """Listens from the first wait on, until it is closed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._news = threading.Condition()
        self._heard = Position(0)
        self._listening = False
        self._thread: threading.Thread | None = None
        self._stop: StopRequest | None = None

    def wait(self, position: Position, seconds: float) -> None:
        """Returns when it is worth looking again whether the views have taken in `position`, at most `seconds` later.

        That is when the projector said so; where it has said so already or nobody listens, after a short while.
        """
        with self._news:
            self._start()
            if self._heard >= position or not self._listening:
                self._news.wait(min(seconds, POLL_SECONDS))
            else:
                self._news.wait_for(lambda: self._heard >= position or not self._listening, seconds)

    def news(self, after: Position, seconds: float) -> Position:
        """Waits until it has heard of something behind `after`, `seconds` at most; the last it has heard of."""
        with self._news:
            self._start()
            self._news.wait_for(lambda: self._heard > after, seconds)
            return self._heard

    def behind(self, position: Position) -> bool:
        """Whether it listens and has not heard of `position`: looking is in vain."""
        return self._listening and self._heard < position

    def close(self) -> None:
        """Ends the listener. May be repeated."""
        with self._news:
            thread, stop = self._thread, self._stop
            self._thread = self._stop = None
        if thread is not None and stop is not None:
            stop.make()
            thread.join()
            stop.close()

    def _start(self) -> None:
        if self._thread is None:
            self._stop = StopRequest()
            self._thread = threading.Thread(target=self._run, args=(self._stop,), name="projected", daemon=True)
            self._thread.start()

    def _run(self, stop: StopRequest) -> None:
        while not stop.made:
            try:
                self._listen(stop)
            except (psycopg.Error, TryAgain) as problem:
                if self._listening:
                    _log.warning("not listening to the projector (%s)", type(problem).__name__)
                self._tell(listening=False)
                stop.wait(_PAUSE_SECONDS)
        self._tell(listening=False)

    def _listen(self, stop: StopRequest) -> None:
        with closing(self._database.connect()) as conn:
            conn.execute("LISTEN projected")
            row = conn.execute(_SERVED)
            self._tell((row.fetchone() or (0,))[0] or 0, listening=True)
            while not stop.made:
                select.select([conn.fileno(), stop.fileno()], [], [])
                heard = [int(note.payload) for note in conn.notifies(timeout=0) if note.payload.isdigit()]
                if heard:
                    self._tell(max(heard), listening=True)

    def _tell(self, position: int = 0, *, listening: bool) -> None:
        with self._news:
            self._listening = listening
            self._heard = Position(max(self._heard, position))
            self._news.notify_all()


def seconds_until(deadline: float) -> float:
    """Never less than none."""
    return max(0.0, deadline - time.monotonic())
