"""Work that one thread does at a time, for tests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class MemorySole:
    """See `application/ports/sole.py`."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held: set[str] = set()

    @contextmanager
    def alone(self, work: str) -> Iterator[bool]:
        with self._guard:
            free = work not in self._held
            self._held |= {work}
        try:
            yield free
        finally:
            if free:
                with self._guard:
                    self._held -= {work}
