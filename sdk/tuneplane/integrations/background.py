"""Sending the text of rollouts beside a training loop: a bounded queue and one thread that waits for the server.

Text is diagnostic and may be lost: where the queue is full the newest is dropped, and the loss is logged.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
from collections import deque
from typing import Callable

from tuneplane.credentials import CredentialsUnusable, found_credentials
from tuneplane.reporter import Reporter, ReporterError

log = logging.getLogger("tuneplane")

CAPACITY = 16
"""Steps that may wait."""
FINISH_SECONDS = 10.0
Work = Callable[[Reporter], object]


class Background:
    """Does one piece of work after the other, in order. Nothing here raises, and `put` never waits."""

    def __init__(self, reporter: Reporter, capacity: int = CAPACITY) -> None:
        self._reporter = reporter
        self._capacity = capacity
        self._waiting: deque[Work] = deque()
        self._changed = threading.Condition()
        self._busy = False
        self._thread: threading.Thread | None = None
        self._process = os.getpid()
        self._said: set[str] = set()
        self.dropped = 0
        """Pieces of work that the queue had no room for, or that failed."""
        atexit.register(self.finish)

    def put(self, work: Work) -> bool:
        """Queues it; False where there is no room, and in a forked child."""
        if self._process != os.getpid():
            return False
        with self._changed:
            if len(self._waiting) >= self._capacity:
                self._lose("the server does not keep up, and the queue is full")
                return False
            self._waiting.append(work)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="tuneplane-rollouts", daemon=True)
                self._thread.start()
            self._changed.notify_all()
        return True

    def finish(self, seconds: float = FINISH_SECONDS) -> bool:
        """Waits until all is done, at most `seconds`; says what is left. True where nothing is."""
        if self._process != os.getpid():
            return True
        with self._changed:
            done = self._changed.wait_for(lambda: not (self._waiting or self._busy), seconds)
            if not done:
                log.warning("tuneplane: rollout text of %d steps was not delivered", len(self._waiting) + self._busy)
        return done

    def _run(self) -> None:
        while True:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._waiting)
                work = self._waiting.popleft()
                self._busy = True
            try:
                work(self._reporter)
            except Exception as problem:  # noqa: BLE001 - reporting never fails the training
                self._lose(f"{type(problem).__name__}: {problem}")

    def _lose(self, reason: str) -> None:
        self.dropped += 1
        if reason not in self._said and len(self._said) < self._capacity:
            self._said.add(reason)
            log.warning("tuneplane: rollout text was dropped: %s", reason)


def background() -> Background | None:
    """For this process's job; None where nothing is reported, with the reason logged where there is a fault."""
    try:
        found = found_credentials(os.environ)
        if found is None:
            return None
        return Background(Reporter(found.endpoint, found.run_id, found.token, attempt=found.attempt))
    except (CredentialsUnusable, ReporterError) as problem:
        log.warning("tuneplane: no rollout text is reported: %s", problem)
        return None
