"""CRC-32C (Castagnoli), which TFRecord files carry masked; the standard library has only the other CRC-32."""

from __future__ import annotations

import sys
from array import array

_POLYNOMIAL = 0x82F63B78
_MASK_DELTA = 0xA282EAD8
_ALL = 0xFFFFFFFF


def _bytewise() -> list[int]:
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = (crc >> 1) ^ _POLYNOMIAL if crc & 1 else crc >> 1
        table.append(crc)
    return table


_BYTES = _bytewise()
_PAIRS: list[int] = []
"""For two bytes at a time: half the steps, and Python's steps are what it costs. Made when first needed."""


def crc32c(data: bytes) -> int:
    """The checksum of `data`."""
    if not _PAIRS:
        _PAIRS.extend(_BYTES[(first := _BYTES[pair & 0xFF]) & 0xFF ^ pair >> 8] ^ first >> 8 for pair in range(1 << 16))
    pairs, crc = _PAIRS, _ALL
    words = array("H", data[: len(data) & ~1])
    if sys.byteorder == "big":
        words.byteswap()
    for word in words:
        crc = pairs[(crc ^ word) & 0xFFFF] ^ crc >> 16
    if len(data) & 1:
        crc = _BYTES[(crc ^ data[-1]) & 0xFF] ^ crc >> 8
    return crc ^ _ALL


def masked(data: bytes) -> int:
    """The checksum as TFRecord files hold it: turned and shifted, so that a checksum of checksums stays sound."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & _ALL
