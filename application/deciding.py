"""Decisions that rest on what was read: when somebody else was first, read and decide again.

Of many who decide at once on one stream one wins a round. So each rests a while before the next, by chance and longer
every time, that they come one after the other.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

from domain.errors import StreamMovedOn, TryAgain

DECISIONS = 10
"""After so many, too many others write to the same stream."""
FIRST_REST_SECONDS = 0.01
LONGEST_REST_SECONDS = 0.5
T = TypeVar("T")


def decided(decide: Callable[[], T]) -> T:
    """What `decide` answers, tried again while it raises `StreamMovedOn`. `TryAgain` when it never ends."""
    for rest in _rests():
        try:
            return decide()
        except StreamMovedOn:
            time.sleep(rest)
    raise _contended()


async def decided_async(decide: Callable[[], Awaitable[T]]) -> T:
    """The same for the event loop."""
    for rest in _rests():
        try:
            return await decide()
        except StreamMovedOn:
            await asyncio.sleep(rest)
    raise _contended()


def _rests() -> Iterator[float]:
    """Seconds to rest behind each decision; none behind the last."""
    longest = FIRST_REST_SECONDS
    for _ in range(DECISIONS - 1):
        yield random.uniform(0, longest)  # noqa: S311 - it spreads out, it protects nothing
        longest = min(2 * longest, LONGEST_REST_SECONDS)
    yield 0.0


def _contended() -> TryAgain:
    return TryAgain("Others write to the same stream without a pause; nothing was stored, repeat it later.")
