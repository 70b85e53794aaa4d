"""Files that the real trackers wrote, and files made here record by record."""

import struct
from collections.abc import Iterable
from pathlib import Path
from typing import cast

from tuneplane.moving.crc32c import masked
from tuneplane.moving.source import Item, Scalar

SAMPLES = Path(__file__).parents[1] / "samples"
TORCH = SAMPLES / "tensorboard" / "torch"
RESTARTED = SAMPLES / "tensorboard" / "real" / "restarted"
BEGUN = 1_796_000_000.0


def points_of(items: Iterable[Item]) -> list[Scalar]:
    return [cast("Scalar", one) for one in items if type(one) is tuple]


def record(payload: bytes) -> bytes:
    length = struct.pack("<Q", len(payload))
    return length + struct.pack("<I", masked(length)) + payload + struct.pack("<I", masked(payload))


def field(number: int, payload: bytes) -> bytes:
    """A field of bytes, of at most 127."""
    return bytes((number << 3 | 2, len(payload))) + payload


def varint(number: int) -> bytes:
    parts = []
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])


def beginning(ts: float = BEGUN) -> bytes:
    return record(b"\x09" + struct.pack("<d", ts) + field(3, b"brain.Event:2"))


def scalar(tag: str, step: int, value: float, ts: float | None = None) -> bytes:
    summary = field(1, field(1, tag.encode()) + b"\x15" + struct.pack("<f", value))
    when = struct.pack("<d", BEGUN + step if ts is None else ts)
    return record(b"\x09" + when + b"\x10" + varint(step % 2**64) + field(5, summary))


def event_file(folder: Path, *records: bytes, name: str = "events.out.tfevents.1796000000.h.1.0") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(b"".join(records))
    return path
