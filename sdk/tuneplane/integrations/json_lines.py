"""A file of JSON lines that another process writes: its complete lines, once each, in order, while it grows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_LONGEST_LINE = 64 * 1024 * 1024
_PIECE = 1024 * 1024
_HEAD_BYTES = 4096


class Line(NamedTuple):
    number: int
    """From 1, blank lines counted."""
    text: bytes


class LineTooLong(ValueError):
    """A line is longer than any that is read."""


class JsonLines:
    """Reads from where it stopped. A file that was written anew is read from its beginning.

    It was written anew where it is another file, is shorter than what was read, or begins otherwise.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.waiting = 0
        """Bytes after the last line end, which are no line yet."""
        self.renewals = 0
        self._offset = 0
        self._lines = 0
        self._file: tuple[int, int] | None = None
        self._head = b""

    def read(self) -> Iterator[Line]:
        """The lines completed since the last call, without blank ones. Raises OSError, LineTooLong."""
        with self.path.open("rb") as file:
            self._begin(os.fstat(file.fileno()), file.read(_HEAD_BYTES))
            file.seek(self._offset)
            rest = b""
            while piece := file.read(_PIECE):
                *whole, rest = (rest + piece).split(b"\n")
                if len(rest) > _LONGEST_LINE:
                    raise LineTooLong(f"{self.path}: line {self._lines + len(whole) + 1}: over {_LONGEST_LINE} bytes")
                for text in whole:
                    self._offset += len(text) + 1
                    self._lines += 1
                    if text.strip():
                        yield Line(self._lines, text)
            self.waiting = len(rest.strip())

    def _begin(self, found: os.stat_result, head: bytes) -> None:
        file = (found.st_dev, found.st_ino)
        if self._file is not None and (
            file != self._file or found.st_size < self._offset or not head.startswith(self._head)
        ):
            self.renewals += 1
            self._offset = self._lines = 0
            self._head = b""
        self._file = file
        if len(self._head) < _HEAD_BYTES:
            self._head = head[: head.rfind(b"\n") + 1]
