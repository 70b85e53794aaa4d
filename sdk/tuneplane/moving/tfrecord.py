"""TFRecord framing, as TensorBoard's event files have it: length, its checksum, payload, its checksum.

A file that is still written ends in the middle of a record: that record is left for later. A checksum that does not
hold ends the reading for good, and where is said. Both are different things (RELIABILITY "Failures of comparable
systems" 21).
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tuneplane.moving.crc32c import masked
from tuneplane.moving.files import open_file

HEAD = 12
FOOT = 4
LARGEST_BYTES = 64 * 1024 * 1024
"""Of one record that is read; a larger one holds pictures or text, and is passed over and counted."""
_READ_AHEAD = 1024 * 1024


class Records:
    """The payloads of one file from `offset` on. Read again later, it gives what was written since."""

    def __init__(self, path: Path, offset: int = 0) -> None:
        self.path = path
        self.offset = offset
        """Behind the last record that was given."""
        self.fault = ""
        """Where and why reading ended for good; empty while it did not."""
        self.waiting = 0
        """Bytes of a last record that is not complete yet."""
        self.too_large = 0
        """Records that were passed over."""

    def __iter__(self) -> Iterator[bytes]:
        """Raises OSError where the file cannot be read, or is a symbolic link."""
        if self.fault:
            return
        with open_file(self.path, _READ_AHEAD) as file:
            file.seek(self.offset)
            payload = self._next(file)
            while payload is not None:
                self.offset += HEAD + len(payload) + FOOT
                yield payload
                payload = self._next(file)

    def _next(self, file: BinaryIO) -> bytes | None:
        head = file.read(HEAD)
        if len(head) < HEAD:
            self.waiting = len(head)
            return None
        length, checksum = struct.unpack("<QI", head)
        if masked(head[:8]) != checksum:
            self.fault = f"byte {self.offset}: the checksum of a record's length does not hold"
            return None
        if length > LARGEST_BYTES:
            return self._behind(file, length)
        body = file.read(length + FOOT)
        if len(body) < length + FOOT:
            self.waiting = HEAD + len(body)
            return None
        payload = body[:length]
        if masked(payload) != int.from_bytes(body[length:], "little"):
            self.fault = f"byte {self.offset}: the checksum of a record's {length} bytes does not hold"
            return None
        return payload

    def _behind(self, file: BinaryIO, length: int) -> bytes | None:
        """The payload that follows a record too large to be read."""
        end = self.offset + HEAD + length + FOOT
        if end > os.fstat(file.fileno()).st_size:
            self.fault = f"byte {self.offset}: a record of {length} bytes, which are not there"
            return None
        file.seek(end)
        self.offset = end
        self.too_large += 1
        return self._next(file)
