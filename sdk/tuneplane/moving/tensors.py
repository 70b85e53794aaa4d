"""TensorFlow's TensorProto, as far as summaries use it: small numbers of any type, widened exactly."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple

from tuneplane.moving.protobuf import Torn, doubles, fields, integer, integers, raw, singles
from tuneplane.moving.source import LeftOut

_FORMATS = {1: "f", 2: "d", 3: "i", 4: "B", 5: "h", 6: "b", 9: "q", 17: "H", 19: "e", 22: "I", 23: "Q"}
"""DataType -> its `struct` letter."""
_STRING = 7
_BFLOAT16, _HALF = 14, 19
_WHOLE = {7, 10, 16, 17}
"""int_val, int64_val, uint32_val, uint64_val; booleans are no numbers here."""
_REPEATED = 1 << 16
_LARGEST = 1 << 31


class Tensor(NamedTuple):
    numbers: Sequence[float]
    shape: Sequence[int]
    """Empty for a scalar."""


def tensor(message: bytes) -> Tensor | LeftOut:
    """Its numbers, row by row; what holds no numbers is left out by its kind. Raises Torn."""
    kind, shape = 0, []
    parts: list[tuple[int, int, int | bytes]] = []
    for number, wire, value in fields(message):
        if number == 1:
            kind = integer(value)
        elif number == 2:  # noqa: PLR2004 - tensor_shape
            shape = _shape(raw(value))
        else:
            parts.append((number, wire, value))
    if kind == _STRING:
        return LeftOut("text")
    numbers = [one for part in parts for one in _numbers(kind, *part)]
    size = 1
    for length in shape:
        size *= length
        if abs(size) > _LARGEST:
            break
    if len(numbers) == 1 and 1 < size <= _REPEATED:
        numbers *= size  # one entry stands for all of them
    if len(numbers) != size:
        return LeftOut(f"tensor of type {kind}")
    return Tensor(numbers, shape)


def _numbers(kind: int, number: int, wire: int, value: int | bytes) -> Sequence[float]:
    """What one field of the message holds of the tensor's numbers."""
    if number == 4:  # noqa: PLR2004 - tensor_content
        return _unpacked(kind, raw(value))
    if number == 5:  # noqa: PLR2004 - float_val
        return singles(value)
    if number == 6:  # noqa: PLR2004 - double_val
        return doubles(value)
    if number == 13:  # noqa: PLR2004 - half_val
        return [_half(kind, bits) for bits in integers(wire, value)]
    return integers(wire, value) if number in _WHOLE else ()


def _shape(message: bytes) -> list[int]:
    """TensorShapeProto.dim, Dim.size."""
    return [
        next((integer(size) for inner, _, size in fields(raw(value)) if inner == 1), 0)
        for number, _, value in fields(message)
        if number == 2  # noqa: PLR2004 - dim
    ]


def _unpacked(kind: int, content: bytes) -> Sequence[float]:
    if kind == _BFLOAT16:
        return [_half(kind, bits) for bits in struct.unpack(f"<{len(content) // 2}H", content[: len(content) & ~1])]
    letter = _FORMATS.get(kind)
    if letter is None:
        return []
    count, rest = divmod(len(content), struct.calcsize(f"<{letter}"))
    if rest:
        raise Torn(f"{len(content)} bytes are no tensor of type {kind}")
    return struct.unpack(f"<{count}{letter}", content)


def _half(kind: int, bits: int) -> float:
    if kind == _BFLOAT16:
        return float(struct.unpack("<f", struct.pack("<I", (bits & 0xFFFF) << 16))[0])
    return float(struct.unpack("<e", struct.pack("<H", bits & 0xFFFF))[0])
