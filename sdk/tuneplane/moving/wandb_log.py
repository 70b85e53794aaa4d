"""W&B's transaction log, `run-*.wandb`: records in blocks of 32 KiB, each piece with its checksum.

The framing is LevelDB's log format with a header of seven bytes before the first record and zlib's CRC-32 in place of
CRC-32C (found in files that wandb 0.31 wrote; the format is described in LevelDB's `doc/log_format.md`).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tuneplane.moving.files import open_file
from tuneplane.moving.source import SourceRefused

_HEADER = b":W&B\xe1\xbe"
"""Ident and magic number; a byte with the version of the framing follows."""
_HEADER_BYTES = 7
_VERSION = 0
_BLOCK_BYTES = 32_768
_PIECE = struct.Struct("<IHB")
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
LARGEST_BYTES = 64 * 1024 * 1024
"""Of one record that is read; a larger one is passed over and counted."""
_READ_AHEAD = 1024 * 1024


class LogRecords:
    """The records of one file. `fault` says where and why reading ended early, `waiting` that the end is incomplete."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fault = ""
        self.waiting = 0
        self.too_large = 0
        """Records that were passed over."""
        self._at = 0

    def __iter__(self) -> Iterator[bytes]:
        """Raises SourceRefused where this is no such file, OSError where it cannot be read."""
        with open_file(self.path, _READ_AHEAD) as file:
            header = file.read(_HEADER_BYTES)
            if header[: len(_HEADER)] != _HEADER[: len(header)]:
                raise SourceRefused(self.path, "byte 0", "a W&B transaction log begins with :W&B and 0xBEE1")
            if len(header) < _HEADER_BYTES:
                self.waiting = len(header)
                return
            if header[-1] != _VERSION:
                raise SourceRefused(self.path, "byte 6", f"version {header[-1]} of the framing; {_VERSION} is read")
            self._at = _HEADER_BYTES
            yield from self._records(file)

    def _records(self, file: BinaryIO) -> Iterator[bytes]:
        pieces: list[bytes] = []
        start, size = self._at, 0
        while not self.fault:
            piece = self._piece(file)
            if piece is None:
                self.waiting += size
                return
            kind, content = piece
            if (kind in (_FULL, _FIRST)) == bool(pieces):
                self._ends(start, "a record begins inside another, or goes on without a beginning")
                return
            if not pieces:
                start = self._at - _PIECE.size - len(content)
            size += len(content)
            if size > LARGEST_BYTES:
                pieces = [b""]
            else:
                pieces.append(content)
            if kind in (_FULL, _LAST):
                if size > LARGEST_BYTES:
                    self.too_large += 1
                else:
                    yield b"".join(pieces)
                pieces, size = [], 0

    def _piece(self, file: BinaryIO) -> tuple[int, bytes] | None:
        """Kind and content of the next piece; None at the end, or where it cannot be read (see `fault`)."""
        room = _BLOCK_BYTES - self._at % _BLOCK_BYTES
        if room < _PIECE.size:
            file.read(room)
            self._at += room
        head = file.read(_PIECE.size)
        if len(head) < _PIECE.size:
            self.waiting = len(head)
            return None
        checksum, length, kind = _PIECE.unpack(head)
        if not _FULL <= kind <= _LAST or length > _BLOCK_BYTES - self._at % _BLOCK_BYTES - _PIECE.size:
            self._ends(self._at, f"no piece of a record: kind {kind}, {length} bytes")
            return None
        content = file.read(length)
        if len(content) < length:
            self.waiting = _PIECE.size + len(content)
            return None
        if zlib.crc32(content, zlib.crc32(head[6:])) != checksum:
            self._ends(self._at, f"the checksum of a piece of {length} bytes does not hold")
            return None
        self._at += _PIECE.size + length
        return kind, content

    def _ends(self, at: int, why: str) -> None:
        self.fault = f"byte {at}: {why}"
