"""Progress of what takes long, on standard error: a line that is rewritten, or now and then a new one."""

from __future__ import annotations

import sys
import time

_EVERY_SECONDS = 2.0


class Progress:
    """Called with how far it is and how far it has to go."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._shown_at = 0.0
        self._open_line = False

    def __call__(self, done: int, last: int | None = None) -> None:
        """Says it, at most every other second."""
        now = time.monotonic()
        if now - self._shown_at < _EVERY_SECONDS:
            return
        self._shown_at = now
        text = f"{self._what}: {done:,}" + (f" of {last:,}" if last is not None else "")
        self._open_line = sys.stderr.isatty()
        print(f"\r{text}\x1b[K" if self._open_line else text, end="" if self._open_line else "\n", file=sys.stderr)
        sys.stderr.flush()

    def end(self) -> None:
        """Ends the line that was rewritten."""
        if self._open_line:
            print(file=sys.stderr)
