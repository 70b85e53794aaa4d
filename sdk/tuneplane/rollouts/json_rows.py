"""Rows of a JSON-lines file of which a few fields are wanted and the others may be megabytes.

The file is read in pieces, and only the wanted fields are ever held or parsed: a row's arrays of token ids and
probabilities cost a search for their end. NaN and Infinity are read, as Python's writer leaves them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import IO, Any, Callable, NamedTuple

from tuneplane.single_keys import parsed

PIECE_BYTES = 64 * 1024
FIELD_BYTES = 4 * 1024 * 1024
"""The most that is held of one wanted field."""
_IN_TEXT = re.compile(rb'["\\]')
_DEEP = re.compile(rb'["\[\]{}]')
_AT_TOP = re.compile(rb'["\[\]{}:,]')


class Row(NamedTuple):
    """One line that is not blank."""

    number: int
    """From 0, over all rows of the file."""
    fields: Mapping[str, Any]
    """The wanted ones that are there; empty where there is a problem."""
    problem: str
    """Why the row cannot be read; empty where it can."""
    ended: bool
    """Whether a line end follows; only the last row of a file may lack it."""


def rows(file: IO[bytes], wanted: frozenset[str], passed: Callable[[bytes], None] = lambda _: None) -> Iterator[Row]:
    """The rows in order; `passed` is given every piece of the file once it was looked at."""
    number, line = 0, _Line(wanted)
    for piece in iter(lambda: file.read(PIECE_BYTES), b""):
        *ended, rest = piece.split(b"\n")
        for part in ended:
            line.feed(part)
            if not line.blank:
                yield line.row(number, ended=True)
                number += 1
            line = _Line(wanted)
        line.feed(rest)
        passed(piece)
    if not line.blank:
        yield line.row(number, ended=False)


class _Line:
    """One line, fed in parts: follows strings and brackets, and keeps the text of wanted fields."""

    def __init__(self, wanted: frozenset[str]) -> None:
        self.blank = True
        self._wanted = wanted
        self._texts: dict[str, bytes] = {}
        self._problem = ""
        self._depth = 0
        self._in_text = self._escaped = self._after_key = False
        self._held: bytearray | None = None
        self._key = ""

    def feed(self, part: bytes) -> None:
        if self.blank:
            part = part.lstrip()
            if not part:
                return
            self.blank = False
            if part[:1] != b"{":
                self._problem = "is no JSON object"
        elif self._depth == 0 and part.strip():
            self._problem = self._problem or "holds more than one JSON object"
        if not self._problem:
            self._scan(part)

    def row(self, number: int, *, ended: bool) -> Row:
        problem, fields = self._problem, {}
        if not problem and (self._depth or self._in_text):
            problem = "is cut off"
        if not problem:
            try:
                fields = {key: parsed(text) for key, text in self._texts.items()}
            except ValueError as refused:
                problem = f"holds what is no JSON: {str(refused)[:100]}"
        return Row(number, {} if problem else fields, problem, ended)

    def _scan(self, part: bytes) -> None:
        at = start = 0  # `start`: from where on `part` belongs to what is held
        while not self._problem:
            if self._escaped:
                if at == len(part):
                    break
                at, self._escaped = at + 1, False
            found = self._next(part, at)
            if found is None:
                break
            at, sign = found.end(), found[0]
            if self._in_text:
                start = self._inside(sign, part, start, found.start())
            elif sign == b'"':
                self._in_text = True
                if self._depth == 1 and not self._after_key:
                    self._held, start = bytearray(), at
            else:
                start = self._structure(sign, part, start, found.start())
        if self._held is not None and not self._problem:
            self._hold(part[start:])

    def _next(self, part: bytes, at: int) -> re.Match[bytes] | None:
        pattern = _IN_TEXT if self._in_text else _AT_TOP if self._depth == 1 else _DEEP
        return pattern.search(part, at)

    def _inside(self, sign: bytes, part: bytes, start: int, here: int) -> int:
        if sign == b"\\":
            self._escaped = True
            return start
        self._in_text = False
        if not self._after_key and self._held is not None:
            self._hold(part[start:here])
            self._key, self._held = self._held.decode("utf-8", "replace"), None
        return start

    def _structure(self, sign: bytes, part: bytes, start: int, here: int) -> int:
        if sign in b"[{":
            self._depth += 1
        elif sign == b":":
            self._after_key = True
            if self._key in self._wanted:
                self._held = bytearray()
                return here + 1
        else:
            if self._depth == 1:
                self._end_of_value(part[start:here])
            if sign in b"]}":
                self._depth -= 1
                if self._depth == 0 and part[here + 1 :].strip():
                    self._problem = "holds more than one JSON object"
        return start

    def _end_of_value(self, last: bytes) -> None:
        self._after_key = False
        if self._held is not None:
            self._hold(last)
            if self._key in self._texts:
                self._problem = self._problem or f"has the field {self._key!r} twice"
            self._texts[self._key], self._held = bytes(self._held), None

    def _hold(self, part: bytes) -> None:
        if self._held is None:
            return
        if len(self._held) + len(part) > FIELD_BYTES:
            self._problem = f"has a field {self._key[:40]!r} of more than {FIELD_BYTES:,} bytes"
            self._held = bytearray()
        else:
            self._held += part
