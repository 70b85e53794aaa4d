"""Lines for a person, on whatever takes them.

Names come from files that others wrote: what a terminal would obey is written as an escape, and so is what the stream's
encoding lacks. A reader that went away (`| head`) ends nothing: what was asked for matters more than its telling.
"""

from __future__ import annotations

import os
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
