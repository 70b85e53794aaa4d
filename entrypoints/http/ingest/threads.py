"""Threads of ingest's own: however many readers wait for views or for the past, reports go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from domain.errors import TryAgain

THREADS = 16
BODY_THREADS = 4
BODIES_WAITING = 16
"""One more is told to come back: its body is held in memory while it waits."""
BODY_WAIT_SECONDS = 2.0
"""How long a body waits for a thread. Then it is told to come back, while its sender still listens."""
_SLOW = "The object store is slow, and too many bodies wait for it. Repeat it later."
_limiter = anyio.CapacityLimiter(THREADS)
_body_limiter = anyio.CapacityLimiter(BODY_THREADS)
_body_threads = anyio.CapacityLimiter(BODY_THREADS)
T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """What waits for disk or database waits in a thread."""
    return await anyio.to_thread.run_sync(work, limiter=_limiter)


async def in_body_thread(work: Callable[[], T]) -> T:
    """What waits for the object store waits apart: a slow store holds up nothing but bodies.

    Raises `TryAgain` where too many wait already, and where no thread was free in time.
    """
    if _body_limiter.statistics().tasks_waiting >= BODIES_WAITING:
        raise TryAgain(_SLOW)
    place = object()
    try:
        with anyio.fail_after(BODY_WAIT_SECONDS):
            await _body_limiter.acquire_on_behalf_of(place)
    except TimeoutError:
        raise TryAgain(_SLOW) from None
    try:
        return await anyio.to_thread.run_sync(work, limiter=_body_threads)
    finally:
        _body_limiter.release_on_behalf_of(place)
