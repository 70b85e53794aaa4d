"""How often signing in may fail before it has to wait, and how many passwords are proven at once.

Failures of one name from everywhere are not bounded: whoever wanted could then shut its owner out. A password has at
least 12 characters, and few are proven a second.
"""

from __future__ import annotations

import ipaddress
import threading
import time
from collections import Counter, OrderedDict
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
        self._trying: Counter[tuple[str, ...]] = Counter()
        self._slots = threading.BoundedSemaphore(AT_ONCE)

    @contextmanager
    def trying(self, name: str, address: str) -> Iterator[None]:
        """Around one proof of a password, and around saying how it went. Raises `TooManyRequests` to make it wait.

        What is being proven counts as failed until it is known: many tries at once are no way around.
        """
        limits = dict(zip(_keys(name, address), (FAILURES_AN_ADDRESS, FAILURES_A_NAME), strict=True))
        with self._lock:
            now = self._clock()
            if any(self._fresh(key, now) + self._trying[key] >= limit for key, limit in limits.items()):
                raise TooManyRequests("Too many attempts to sign in failed; wait five minutes, then try again.")
            self._trying.update(limits.keys())
        try:
            if not self._slots.acquire(timeout=_WAIT_SECONDS):
                raise TooManyRequests("Many people sign in right now; try again in a moment.")
            try:
                yield
            finally:
                self._slots.release()
        finally:
            with self._lock:
                self._trying -= Counter(limits.keys())

    def note(self, name: str, address: str, *, good: bool) -> None:
        """How a proof went."""
        (self.succeeded if good else self.failed)(name, address)

    def failed(self, name: str, address: str) -> None:
        """The password was not the one."""
        now = self._clock()
        with self._lock:
            for key in _keys(name, address):
                self._failures[key] = (self._fresh(key, now) + 1, now)
                self._failures.move_to_end(key)
            while len(self._failures) > _KEYS:
                self._failures.popitem(last=False)

    def succeeded(self, name: str, address: str) -> None:
        """Forgets the failures of this name from here."""
        with self._lock:
            self._failures.pop(_keys(name, address)[1], None)

    def _fresh(self, key: tuple[str, ...], now: float) -> int:
        count, at = self._failures.get(key, (0, now))
        return count if now - at < WINDOW_SECONDS else 0


def _keys(name: str, address: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What failures are held against: the address, and the name from there."""
    where = network(address)
    return (where,), (name, where)


def network(address: str) -> str:
    """The address, or the half of an IPv6 address that its owner does not choose."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(known, ipaddress.IPv6Address):
        return str(known.ipv4_mapped or ipaddress.ip_network((int(known) >> 64 << 64, 64)))
    return str(known)
