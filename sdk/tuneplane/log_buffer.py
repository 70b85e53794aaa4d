"""Text on its way from the child to the server: bounded, the oldest dropped, the gap marked.

Two outputs share it. The beginning of a line waits, for a second at most, for the rest of it, so that
lines of one output do not end up inside those of the other.
"""

from __future__ import annotations

import codecs
import threading
import time
from collections import deque
from typing import NamedTuple

CAPACITY_BYTES = 16 * 1024 * 1024
PIECE_BYTES = 256 * 1024
"""Of text in UTF-8, in one request."""
LINGER_SECONDS = 1.0
_LINE_CHARS = 64 * 1024
"""A longer line is not waited for."""


class Utf8Reader:
    """Text of one pipe: a character split between two reads is put together, bad bytes are U+FFFD."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def text(self, raw: bytes, *, last: bool = False) -> str:
        return self._decoder.decode(raw, last)


class Piece(NamedTuple):
    """Text of one read and its length in UTF-8."""

    text: str
    size_bytes: int


class BegunLine(NamedTuple):
    """The beginning of a line, and when it came (monotonic seconds)."""

    text: str
    since: float


class LogBuffer:
    """`put` never waits and never fails; `take` hands out what one request carries."""

    def __init__(self, capacity_bytes: int = CAPACITY_BYTES) -> None:
        self._capacity = capacity_bytes
        self._pieces: deque[Piece] = deque()
        self._size = 0
        self._lost = 0
        self.overflowed_bytes = 0
        """Let go for want of room, ever."""
        self._begun: dict[str, BegunLine] = {}
        self._mid_line = False
        self._closed = False
        self._first_at = 0.0
        self._change = threading.Condition()

    @property
    def size_bytes(self) -> int:
        """Bytes that wait."""
        return self._size

    def put(self, text: str, source: str = "") -> None:
        """Appends; where there is no room the oldest text goes, and its bytes are counted."""
        if not text:
            return
        with self._change:
            if not self._pieces and not self._begun:
                self._first_at = time.monotonic()
            begun = self._begun.pop(source, None)
            whole = text if begun is None else begun.text + text
            cut = max(whole.rfind("\n"), whole.rfind("\r")) + 1
            if len(whole) - cut > _LINE_CHARS:
                cut = len(whole)
            if cut < len(whole):
                since = begun.since if begun is not None and not cut else time.monotonic()
                self._begun[source] = BegunLine(whole[cut:], since)
            self._append(whole[:cut])
            if self._size >= PIECE_BYTES:
                self._change.notify()

    def lose(self, size_bytes: int) -> None:
        """Counts text that was taken and could not be delivered."""
        with self._change:
            self._lost += size_bytes

    def close(self) -> None:
        """No more text comes."""
        with self._change:
            self._closed = True
            self._release(time.monotonic())
            self._change.notify_all()

    def ended(self) -> bool:
        """Whether all text has been taken and no more comes."""
        with self._change:
            return self._closed and not self._pieces and not self._lost

    def take(self, linger: float = LINGER_SECONDS) -> str:
        """Waits until a piece is full, a second old, or the last; then hands out up to one piece.

        Empty where nothing came for that long. Begins with a mark where text was lost before it.
        """
        with self._change:
            self._wait(linger)
            self._release(time.monotonic() - linger)
            mark = self._mark()
            taken: list[str] = []
            room = PIECE_BYTES
            while self._pieces and room > 0:
                piece = self._pieces.popleft()
                self._size -= piece.size_bytes
                if piece.size_bytes > room:
                    taken.append(self._split(piece, room))
                    break
                taken.append(piece.text)
                room -= piece.size_bytes
            self._first_at = time.monotonic()
        text = "".join(taken)
        if text:
            self._mid_line = not text.endswith("\n")
        return mark + text

    def _append(self, text: str) -> None:
        if not text:
            return
        piece = Piece(text, len(text.encode()))
        self._pieces.append(piece)
        self._size += piece.size_bytes
        while self._size > self._capacity:
            oldest = self._pieces.popleft()
            self._size -= oldest.size_bytes
            self._lost += oldest.size_bytes
            self.overflowed_bytes += oldest.size_bytes

    def _release(self, since: float) -> None:
        """Lines begun by then go on unfinished: a prompt, a progress bar."""
        for source, line in list(self._begun.items()):
            if line.since <= since or self._closed:
                del self._begun[source]
                self._append(line.text)

    def _wait(self, linger: float) -> None:
        waiting = self._pieces or self._begun
        until = (self._first_at if waiting else time.monotonic()) + linger
        while self._size < PIECE_BYTES and not self._closed:
            left = until - time.monotonic()
            if left <= 0:
                return
            self._change.wait(left)

    def _mark(self) -> str:
        if not self._lost:
            return ""
        lost, self._lost = self._lost, 0
        begin = "\n" if self._mid_line else ""
        self._mid_line = False
        return f"{begin}[tuneplane: {lost} bytes of log not forwarded]\n"

    def _split(self, piece: Piece, room: int) -> str:
        """At most `room` bytes of a piece, whole characters; the rest is put back in front."""
        head = piece.text.encode()[:room].decode("utf-8", "ignore")
        head_bytes = len(head.encode())
        rest = Piece(piece.text[len(head) :], piece.size_bytes - head_bytes)
        self._pieces.appendleft(rest)
        self._size += rest.size_bytes
        return head
