"""Lines for a person, on whatever takes them.

Names come from files that others wrote: what a terminal would obey is written as an escape, and so is what the stream's
encoding lacks. A reader that went away (`| head`) ends nothing: what was asked for matters more than its telling.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterable
from typing import TextIO


def shown(text: str) -> str:
    """`text` with everything that a terminal might obey, or that is no character, written as an escape."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def tell_lines(stream: TextIO, lines: Iterable[str]) -> None:
    """Each of `lines` as one line, whatever is in it."""
    try:
        stream.writelines(f"{_encodable(shown(line), stream)}\n" for line in lines)
        stream.flush()
    except BrokenPipeError:
        _to_nowhere(stream)


def tell(line: str) -> None:
    """One line for whoever watches, on standard error; a terminal that is closed or full ends nothing."""
    with contextlib.suppress(OSError, ValueError):
        tell_lines(sys.stderr, [line])


class NowAndThen:
    """When it is time to tell again how far long work is."""

    def __init__(self, seconds: float = 2.0) -> None:
        """At least `seconds` lie between, and before the first."""
        self._seconds = seconds
        self._last = time.monotonic()

    def due(self) -> bool:
        """Whether to tell now; then the time begins anew."""
        now = time.monotonic()
        if now - self._last < self._seconds:
            return False
        self._last = now
        return True


def _encodable(text: str, stream: TextIO) -> str:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _to_nowhere(stream: TextIO) -> None:
    """What is left in the buffer would be tried again when Python ends, and end it with an error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    finally:
        os.close(nowhere)
