"""The hash that makes rewriting the log show.

`h_n = sha256(h_{n-1}, n, recorded time, stream, version, tag, sha256(payload))`, every field prefixed with
its length, genesis 32 zero bytes. The payload's digest is chained, not the payload, so a body can be erased and
the chain still verifies. Source: DESIGN "Hash chain", RULINGS "Chain".
"""

from __future__ import annotations

import hashlib
import struct

from domain.ids import Micros, Position, StreamId

GENESIS = bytes(32)
_HEAD = struct.Struct(">I32sIqIqI16sIqI")
_DIGEST_LENGTH = struct.pack(">I", 32)


def chained(
    previous: bytes, position: Position, recorded_at: Micros, stream: StreamId, version: int, tag: str, digest: bytes
) -> bytes:
    """The chain hash at `position`, 32 bytes."""
    name = tag.encode()
    fixed = _HEAD.pack(32, previous, 8, position, 8, recorded_at, 16, stream.bytes, 8, version, len(name))
    return hashlib.sha256(b"".join((fixed, name, _DIGEST_LENGTH, digest))).digest()
