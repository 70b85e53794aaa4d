"""The server's clock, for who is given no other."""

from __future__ import annotations

import time
from collections.abc import Callable

from domain.ids import Micros

Clock = Callable[[], Micros]


def now() -> Micros:
    """What it shows."""
    return Micros(time.time_ns() // 1000)
