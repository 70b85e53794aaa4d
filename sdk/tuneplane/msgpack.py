"""MessagePack, as much of it as the client sends: written with `struct`, never read."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_FIX_ARRAY = 16
_FIX_STRING = 32
_UINT8 = 1 << 8
_UINT16 = 1 << 16
_UINT32 = 1 << 32
_FIX_INT = 128

_one_float = struct.Struct(">Bd").pack
_uint8 = struct.Struct(">BB").pack
_uint16 = struct.Struct(">BH").pack
_uint32 = struct.Struct(">BI").pack
_uint64 = struct.Struct(">BQ").pack


def string(text: str) -> bytes:
    """A string. Raises UnicodeEncodeError for a lone surrogate."""
    raw = text.encode("utf-8")
    size = len(raw)
    if size < _FIX_STRING:
        return bytes((0xA0 | size,)) + raw
    if size < _UINT8:
        return _uint8(0xD9, size) + raw
    if size < _UINT16:
        return _uint16(0xDA, size) + raw
    return _uint32(0xDB, size) + raw


def unsigned(number: int) -> bytes:
    """An integer from 0 to 2**64 - 1."""
    if number < _FIX_INT:
        return bytes((number,))
    if number < _UINT8:
        return _uint8(0xCC, number)
    if number < _UINT16:
        return _uint16(0xCD, number)
    if number < _UINT32:
        return _uint32(0xCE, number)
    return _uint64(0xCF, number)


def double(number: float) -> bytes:
    """One double."""
    return _one_float(0xCB, number)


def array_of(size: int) -> bytes:
    """The head of an array; its items follow."""
    if size < _FIX_ARRAY:
        return bytes((0x90 | size,))
    return _uint16(0xDC, size) if size < _UINT16 else _uint32(0xDD, size)


def map_of(size: int) -> bytes:
    """The head of a map with fewer than 16 entries; names and values follow in turn."""
    return bytes((0x80 | size,))


def floats(numbers: Sequence[float]) -> bytes:
    """An array of doubles."""
    size = len(numbers)
    if size == 1:
        return b"\x91" + _one_float(0xCB, numbers[0])
    return array_of(size) + _tagged(0xCB, 8, struct.pack(f">{size}d", *numbers))


def integers(numbers: Sequence[int]) -> bytes:
    """An array of integers from 0 to 2**64 - 1, all in the width that the largest needs."""
    size = len(numbers)
    if size == 1:
        return b"\x91" + unsigned(numbers[0])
    largest = max(numbers, default=0)
    if largest < _FIX_INT:
        return array_of(size) + bytes(numbers)
    if largest < _UINT16:
        return array_of(size) + _tagged(0xCD, 2, struct.pack(f">{size}H", *numbers))
    if largest < _UINT32:
        return array_of(size) + _tagged(0xCE, 4, struct.pack(f">{size}I", *numbers))
    return array_of(size) + _tagged(0xCF, 8, struct.pack(f">{size}Q", *numbers))


def _tagged(tag: int, width: int, packed: bytes) -> bytes:
    """`tag` before each item of `width` bytes; whole columns are moved at once, not items."""
    step = width + 1
    count = len(packed) // width
    out = bytearray(count * step)
    out[0::step] = bytes((tag,)) * count
    for offset in range(width):
        out[offset + 1 :: step] = packed[offset::width]
    return bytes(out)
