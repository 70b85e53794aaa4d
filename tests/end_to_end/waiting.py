"""Waiting for a condition, with a deadline."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PATIENCE_SECONDS = 60.0
"""Only a failing test ever waits so long."""
_pause = threading.Event()


def until(condition: Callable[[], T | None], what: str = "this") -> T:
    """What the condition gives once it is true; fails at the deadline, saying what never came."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (found := condition()):
        assert time.monotonic() < deadline, f"{what} never came true"
        _pause.wait(0.01)
    return found
