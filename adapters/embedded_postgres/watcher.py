"""Keeps the database up: waits for the main process's end and starts it again when nobody asked for that end."""

import logging
import threading
import time
from collections.abc import Callable

from adapters.embedded_postgres.postmaster import Postmaster

PAUSES = (0.0, 0.1, 0.3, 1.0, 3.0)
"""Seconds before each restart in a row; the last one repeats."""

STEADY_SECONDS = 10.0
"""After running this long, an end counts as the first one again."""

log = logging.getLogger(__name__)


class Watcher:
    def __init__(self, postmaster: Postmaster, restart: Callable[[], Postmaster]) -> None:
        """`restart` starts the server without waiting until it answers; it may raise, and is then tried again."""
        self._postmaster = postmaster
        self._restart = restart
        self._stopping = threading.Event()
        self._turn = threading.Lock()
        self._thread = threading.Thread(target=self._watch, name="embedded-postgres", daemon=True)
        self._thread.start()

    @property
    def postmaster(self) -> Postmaster:
        return self._postmaster

    def stop(self) -> None:
        """End the server in good order. Returns when it has ended."""
        with self._turn:
            self._stopping.set()
        self._postmaster.stop()
        self._thread.join()

    def _watch(self) -> None:
        ends = 0
        while True:
            began = time.monotonic()
            self._postmaster.wait()
            if self._stopping.is_set():
                return
            ends = 1 if time.monotonic() - began > STEADY_SECONDS else ends + 1
            pause = PAUSES[min(ends, len(PAUSES)) - 1]
            log.warning("PostgreSQL (process %d) ended; starting it again in %.1f s", self._postmaster.pid, pause)
            if self._stopping.wait(pause):
                return
            with self._turn:
                if self._stopping.is_set():
                    return
                try:
                    self._postmaster = self._restart()
                except Exception:
                    # A full disk or too many processes may pass; giving up would need a person.
                    log.exception("PostgreSQL could not be started; trying again")
