"""What PostgreSQL itself has to say: `postgres.log` in the data folder, with one older file beside it."""

import os
from pathlib import Path

ROTATE_ABOVE_BYTES = 10_000_000
TAIL_BYTES = 2_000


class ServerLog:
    def __init__(self, data: Path) -> None:
        self.path = data / "postgres.log"
        self._begin = 0

    def open(self) -> int:
        """A descriptor to append to, for one start of the server; a file grown too long is set aside first."""
        if self.path.exists() and self.path.stat().st_size > ROTATE_ABOVE_BYTES:
            self.path.replace(self.path.with_name("postgres.log.1"))
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        self._begin = os.fstat(descriptor).st_size
        return descriptor

    def last_words(self) -> str:
        """The end of what was written since the latest `open`."""
        written = self.path.read_bytes()[self._begin :]
        return written[-TAIL_BYTES:].decode("utf-8", "replace")
