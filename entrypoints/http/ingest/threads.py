"""Threads of ingest's own: however many readers wait for views or for the past, reports go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

THREADS = 16
_limiter = anyio.CapacityLimiter(THREADS)
T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """What waits for disk or database waits in a thread."""
    return await anyio.to_thread.run_sync(work, limiter=_limiter)
