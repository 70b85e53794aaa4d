"""Texts for pages, from a store that may be slow or away: no page waits for it long, and few wait at once."""

from __future__ import annotations

import threading
from collections.abc import Callable

from litestar.di import NamedDependency
from litestar.params import SkipValidation

from application.ports.object_store import ObjectStore
from application.queries.trajectory_text import TrajectoryText, read_text
from domain.errors import DomainFault, TryAgain

WAIT_SECONDS = 1.0
"""How long a page waits for one text."""
_QUEUE_SECONDS = 0.2
READING = 4
"""Texts that are read at one time. Each holds a thread of its own, and a reader's thread for a second at most."""
_AWAY = "The text cannot be read now: the object store does not answer. What is recorded of it is not touched."


class Texts:
    """Reads bodies in threads of its own, which a store that hangs may keep."""

    def __init__(self, bodies: Callable[[], ObjectStore], wait_seconds: float = WAIT_SECONDS) -> None:
        self._bodies = bodies
        self._wait_seconds = wait_seconds
        self._free = threading.BoundedSemaphore(READING)

    def read(self, object_key: str) -> TrajectoryText | None:
        """The text kept under a key; None where there is none. Raises `TryAgain` where the store is away or slow."""
        if not self._free.acquire(timeout=_QUEUE_SECONDS):
            raise TryAgain(_AWAY)
        reading = _Reading(lambda: read_text(self._bodies(), object_key), self._free.release)
        reading.start()
        reading.join(self._wait_seconds)
        return reading.answer()


class _Reading(threading.Thread):
    """A thread and not a pool: a pool would wait for a store that hangs when the server ends."""

    def __init__(self, read: Callable[[], TrajectoryText | None], done: Callable[[], None]) -> None:
        super().__init__(name="text", daemon=True)
        self._read = read
        self._done = done
        self._fault: Exception | None = None
        self._text: TrajectoryText | None = None

    def run(self) -> None:
        try:
            self._text = self._read()
        except Exception as fault:  # noqa: BLE001 - whoever waits raises it
            self._fault = fault
        finally:
            self._done()

    def answer(self) -> TrajectoryText | None:
        """What was read. Raises what reading raised, and `TryAgain` where it goes on."""
        if self.is_alive():
            raise TryAgain(_AWAY)
        if isinstance(self._fault, DomainFault):
            raise TryAgain(_AWAY) from self._fault
        if self._fault is not None:
            raise self._fault
        return self._text


UsingTexts = NamedDependency[SkipValidation[Texts]]
