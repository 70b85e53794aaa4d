"""How often signing in may fail before it has to wait, and how many passwords are proven at once."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from entrypoints.http.errors import TooManyRequests

WINDOW_SECONDS = 300.0
"""Failures are forgotten after this; each one begins it anew."""
FAILURES_A_NAME = 5
"""Of one name from one address."""
FAILURES_AN_ADDRESS = 50
"""Of all names from one address."""
AT_ONCE = 4
"""Each proof of a password takes about 64 MiB."""
_KEYS = 10_000
_WAIT_SECONDS = 2.0


class SignInThrottle:
    """Counts failures in this process. Bounded: where there are too many keys, those that failed longest ago go."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._failures: OrderedDict[tuple[str, ...], tuple[int, float]] = OrderedDict()
        self._slots = threading.BoundedSemaphore(AT_ONCE)

    @contextmanager
    def trying(self, name: str, address: str) -> Iterator[None]:
        """Around one proof of a password. Raises `TooManyRequests` where that has to wait."""
        if self._count(address) >= FAILURES_AN_ADDRESS or self._count(name, address) >= FAILURES_A_NAME:
            raise TooManyRequests("Too many attempts to sign in failed; wait five minutes, then try again.")
        if not self._slots.acquire(timeout=_WAIT_SECONDS):
            raise TooManyRequests("Many people sign in right now; try again in a moment.")
        try:
            yield
        finally:
            self._slots.release()

    def failed(self, name: str, address: str) -> None:
        """The password was not the one."""
        now = self._clock()
        with self._lock:
            for key in ((address,), (name, address)):
                self._failures[key] = (self._fresh(key, now) + 1, now)
                self._failures.move_to_end(key)
            while len(self._failures) > _KEYS:
                self._failures.popitem(last=False)

    def succeeded(self, name: str, address: str) -> None:
        """Forgets the failures of this name from here."""
        with self._lock:
            self._failures.pop((name, address), None)

    def _count(self, *key: str) -> int:
        with self._lock:
            return self._fresh(key, self._clock())

    def _fresh(self, key: tuple[str, ...], now: float) -> int:
        count, at = self._failures.get(key, (0, now))
        return count if now - at < WINDOW_SECONDS else 0
