"""Sends a child's output to `/logs`, in pieces, each until it is accepted."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Callable

from tuneplane.answers import Answered
from tuneplane.contract import LOGS_BODY_BYTES
from tuneplane.parcels import compact
from tuneplane.persistence import post_until_answered
from tuneplane.redaction import MASK
from tuneplane.transport import Transport

if TYPE_CHECKING:
    from tuneplane.credentials import Credentials
    from tuneplane.log_buffer import LogBuffer

_ROOM_BYTES = LOGS_BODY_BYTES - 4096
_GROWTH = 6
"""What JSON makes of one control character, in bytes."""
_TELLING = 8
"""Characters of a token from which the start of one is held back for its end."""


class LogForwarder:
    """A thread between a LogBuffer and the server. `tell` says something to the person watching.

    The text arrives as it was written, but for the job's own token, which is masked.
    """

    def __init__(
        self,
        credentials: Credentials,
        stream: str,
        buffer: LogBuffer,
        tell: Callable[[str], None],
        *,
        timeout: float = 10.0,
    ) -> None:
        self._run_id = credentials.run_id
        self._token = credentials.token
        self._stream = f"{stream}-logs"
        self._sequence = 0
        self._held_back = ""
        self._buffer = buffer
        self._tell = tell
        self._told = False
        self._accepted = Answered("bytes")
        self._refused_bytes = 0
        self._transport = Transport(credentials.endpoint, credentials.token, timeout=timeout)
        self._given_up = threading.Event()
        self._thread = threading.Thread(target=self._forward, name="tuneplane-logs", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def done(self) -> bool:
        """Whether everything, the end mark included, has been accepted or refused."""
        return not self._thread.is_alive()

    def give_up(self) -> None:
        """Leaves what has not been accepted yet."""
        self._given_up.set()

    def receipt(self) -> dict[str, int]:
        """What was answered and what was lost, in bytes of UTF-8, the marks of gaps included."""
        return {**self._accepted.values(), "dropped_bytes": self._buffer.overflowed_bytes + self._refused_bytes}

    def _forward(self) -> None:
        try:
            while not self._buffer.ended() and not self._given_up.is_set():
                for text in bodies_of(self._masked(self._buffer.take())):
                    self._send([text], eof=False)
            self._send([self._held_back] if self._held_back else [], eof=True)
        finally:
            self._transport.close()

    def _send(self, chunks: list[str], *, eof: bool) -> None:
        self._sequence += 1
        place = {"stream": self._stream, "sequence": self._sequence}
        body = compact({"run_id": self._run_id, "chunks": chunks, "eof": eof, **place})
        outcome = post_until_answered(self._transport, "logs", body, self._given_up)
        size = sum(len(text.encode()) for text in chunks)
        if outcome.delivered:
            self._accepted.count(size, outcome.status, outcome.body, together=True)
        elif not outcome.transient:
            self._refused_bytes += size
            if not eof:
                self._buffer.lose(size)
            self._say_once(f"log text was refused, {outcome.reason}")

    def _masked(self, text: str) -> str:
        """Text without the token; its start at the very end waits for what follows."""
        if not self._token or not text:
            return text
        text = (self._held_back + text).replace(self._token, MASK)
        self._held_back = ""
        for size in range(min(len(self._token) - 1, len(text)), _TELLING - 1, -1):
            if text.endswith(self._token[:size]):
                self._held_back = text[-size:]
                return text[:-size]
        return text

    def _say_once(self, text: str) -> None:
        if not self._told:
            self._told = True
            self._tell(text)


def bodies_of(text: str) -> list[str]:
    """Text in parts whose JSON fits a request: control characters grow sixfold in it."""
    if not text:
        return []
    if len(text) * _GROWTH <= _ROOM_BYTES or len(compact(text)) <= _ROOM_BYTES:
        return [text]
    half = len(text) // 2
    return bodies_of(text[:half]) + bodies_of(text[half:])
