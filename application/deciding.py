"""Decisions that rest on what was read: when somebody else was first, read and decide again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from domain.errors import StreamMovedOn, TryAgain

DECISIONS = 10
"""After so many, too many others write to the same stream."""
T = TypeVar("T")


def decided(decide: Callable[[], T]) -> T:
    """What `decide` answers, tried again while it raises `StreamMovedOn`. `TryAgain` when it never ends."""
    for _ in range(DECISIONS):
        try:
            return decide()
        except StreamMovedOn:
            continue
    raise _contended()


async def decided_async(decide: Callable[[], Awaitable[T]]) -> T:
    """The same for the event loop."""
    for _ in range(DECISIONS):
        try:
            return await decide()
        except StreamMovedOn:
            continue
    raise _contended()


def _contended() -> TryAgain:
    return TryAgain("Others write to the same stream without a pause; nothing was stored, repeat it later.")
