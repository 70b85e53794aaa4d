"""Protocol buffers without generated code: the fields of a message as they lie in its bytes.

Source: the encoding's public description ("wire types"). Only reading; unknown fields are passed over by the callers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Union

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
Field = tuple[int, int, Union[int, bytes]]
"""Number, wire type, and the value: a varint as an unsigned number, all else as bytes."""
_LONGEST_VARINT = 70
_SIGN = 1 << 63
_WRAP = 1 << 64


class Torn(ValueError):
    """These bytes are no message."""


def fields(message: bytes) -> Iterator[Field]:
    """The fields in order. Raises Torn, naming the byte within the message."""
    at, end = 0, len(message)
    while at < end:
        key, at = _varint(message, at)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            value, at = _varint(message, at)
            yield number, kind, value
            continue
        if kind == BYTES:
            size, at = _varint(message, at)
        elif kind == FIXED64:
            size = 8
        elif kind == FIXED32:
            size = 4
        else:
            raise Torn(f"byte {at}: wire type {kind} is none of varint, 64-bit, length, 32-bit")
        stop = at + size
        if stop > end:
            raise Torn(f"byte {at}: field {number} needs {size} bytes, {end - at} are left")
        yield number, kind, message[at:stop]
        at = stop


def _varint(message: bytes, at: int) -> tuple[int, int]:
    start = at
    try:
        byte = message[at]
        at += 1
        if byte < 0x80:  # noqa: PLR2004 - the continuation bit; most keys, tags and lengths end here
            return byte, at
        value, shift = byte & 0x7F, 7
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:  # noqa: PLR2004 - as above
                return value % _WRAP, at
            shift += 7
            if shift >= _LONGEST_VARINT:
                raise Torn(f"byte {start}: a varint of more than 10 bytes")
    except IndexError:
        raise Torn(f"byte {start}: a varint is cut off") from None


def integer(value: int | bytes) -> int:
    """An int64 or int32 field: two's complement in a varint. Raises Torn."""
    if not isinstance(value, int):
        raise Torn("a number is expected where bytes are")
    return value - _WRAP if value & _SIGN else value


def zigzag(value: int | bytes) -> int:
    """A sint64 field. Raises Torn."""
    if not isinstance(value, int):
        raise Torn("a number is expected where bytes are")
    return (value >> 1) ^ -(value & 1)


def raw(value: int | bytes) -> bytes:
    """A field that is bytes or a message. Raises Torn."""
    if isinstance(value, int):
        raise Torn("bytes are expected where a number is")
    return value


def text(value: int | bytes) -> str:
    """A string field. Raises Torn where it is no UTF-8."""
    try:
        return raw(value).decode()
    except UnicodeDecodeError as problem:
        raise Torn(f"no UTF-8: {problem.reason} at byte {problem.start}") from None


def double(value: int | bytes) -> float:
    """A double field. Raises Torn."""
    return float(_numbers("d", 8, value, one=True)[0])


def single(value: int | bytes) -> float:
    """A float field, widened exactly. Raises Torn."""
    return float(_numbers("f", 4, value, one=True)[0])


def doubles(value: int | bytes) -> tuple[float, ...]:
    """A repeated double field: packed, or one entry of it. Raises Torn."""
    return _numbers("d", 8, value)


def singles(value: int | bytes) -> tuple[float, ...]:
    """As `doubles`, for floats."""
    return _numbers("f", 4, value)


def integers(kind: int, value: int | bytes) -> list[int]:
    """A repeated int32 or int64 field: packed, or one entry of it. Raises Torn."""
    if kind == VARINT:
        return [integer(value)]
    packed, found, at = raw(value), [], 0
    while at < len(packed):
        number, at = _varint(packed, at)
        found.append(integer(number))
    return found


def _numbers(kind: str, width: int, value: int | bytes, *, one: bool = False) -> tuple[float, ...]:
    packed = raw(value)
    count, rest = divmod(len(packed), width)
    if rest or (one and count != 1):
        raise Torn(f"{len(packed)} bytes are no numbers of {width} bytes")
    return struct.unpack(f"<{count}{kind}", packed)
