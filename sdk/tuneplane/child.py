"""The command under `tuneplane run`: its output is read as fast as it comes, signals are passed on."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from types import FrameType
from typing import IO, TYPE_CHECKING, Callable

from tuneplane.log_buffer import LogBuffer, Utf8Reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NOT_FOUND = 127
NOT_EXECUTABLE = 126
SIGNALLED = 128
_READ_BYTES = 64 * 1024
_PIPE_GRACE_SECONDS = 5.0
"""How long the output is read on where a grandchild keeps the pipe open after the command's end."""
_PASSED_ON = ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")


class NotStarted(RuntimeError):
    """The command could not be started."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


class Child:
    """Starts the command at once. Its output goes to our own and into the buffer."""

    def __init__(self, command: list[str], env: Mapping[str, str], buffer: LogBuffer) -> None:
        self._buffer = buffer
        try:
            self._process = subprocess.Popen(
                command, env=dict(env), stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
            )
        except OSError as problem:
            code = NOT_FOUND if isinstance(problem, FileNotFoundError) else NOT_EXECUTABLE
            message = f"cannot start {command[0]!r}: {problem.strerror or problem}"
            raise NotStarted(message, code) from None
        self.pid = self._process.pid
        self._readers = [
            self._reader("stdout", self._process.stdout, sys.stdout),
            self._reader("stderr", self._process.stderr, sys.stderr),
        ]

    def wait(self) -> int:
        """The exit code as a shell gives it, once the command has ended and its output is read."""
        code = self._process.wait()
        for reader in self._readers:
            reader.join(_PIPE_GRACE_SECONDS)
        return code if code >= 0 else SIGNALLED - code

    def signal(self, number: int) -> None:
        """Passes a signal on; nothing where the command has ended."""
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)

    def _reader(self, source: str, pipe: IO[bytes] | None, terminal: object) -> threading.Thread:
        reader = threading.Thread(
            target=self._read, args=(source, pipe, _descriptor(terminal)), name="tuneplane-output", daemon=True
        )
        reader.start()
        return reader

    def _read(self, source: str, pipe: IO[bytes], terminal: int) -> None:
        characters = Utf8Reader()
        with pipe:
            while True:
                raw = pipe.read(_READ_BYTES)
                if not raw:
                    break
                if terminal >= 0 and not _written(terminal, raw):
                    terminal = -1
                self._buffer.put(characters.text(raw), source)
        self._buffer.put(characters.text(b"", last=True), source)


@contextlib.contextmanager
def signals_passed_on(act: Callable[[int], None]) -> Iterator[None]:
    """While this lasts, signals that ask us to end call `act(number)` instead.

    An interrupt typed at the terminal reaches the command by itself, so it is not passed on twice.
    """

    def receive(number: int, frame: FrameType | None) -> None:
        del frame
        if number != signal.SIGINT or not _typed_at_terminal():
            act(number)

    before = {}
    for name in _PASSED_ON:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, receive)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _typed_at_terminal() -> bool:
    try:
        return os.isatty(0) and os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


def _descriptor(stream: object) -> int:
    try:
        return int(stream.fileno())  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return -1


def _written(descriptor: int, raw: bytes) -> bool:
    """Whether the terminal took it; one that has gone must not stop the reading."""
    view = memoryview(raw)
    try:
        while view:
            view = view[os.write(descriptor, view) :]
    except OSError:
        return False
    return True
