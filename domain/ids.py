"""Names of things, and the stream ids made from them."""

from __future__ import annotations

import uuid
from typing import NewType

RunId = NewType("RunId", str)
Attempt = NewType("Attempt", int)
"""Execution attempt of a run, from 0."""
RoundId = NewType("RoundId", str)
TrialId = NewType("TrialId", str)
Position = NewType("Position", int)
"""Of an event in the log: from 1, without gaps, in the order of commits."""
Micros = NewType("Micros", int)
"""Microseconds since the epoch, UTC."""
DAY_MICROS = 24 * 60 * 60 * 1_000_000
StreamId = uuid.UUID

_NAMESPACE = uuid.UUID("6f3d5b0a-2f5e-5c0e-9a57-7a1d1a7f0c11")


def stream_id(*parts: str | int) -> StreamId:
    """The stream that a fact about `parts` belongs to.

    Parts are length-prefixed, so that no two lists of parts share a stream.
    """
    texts = [str(part) for part in parts]
    return uuid.uuid5(_NAMESPACE, "".join(f"{len(text)}:{text}" for text in texts))
