"""Texts and messages cut to what is taken of them, with the mark that says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tuneplane import contract
from tuneplane.parcels import compact

_ENVELOPE_BYTES = 8 * 1024
"""Left in a trajectory for what surrounds its messages."""


def clipped(text: str, longest: int) -> str:
    """The text, or its beginning and the mark of truncation, in `longest` characters."""
    mark = contract.TRUNCATED_MARK
    return text if len(text) <= longest else text[: longest - len(mark)] + mark


def fitting(messages: Sequence[Mapping[str, Any]]) -> tuple[list[dict[str, Any]], bool]:
    """The first messages, each cut to its limit, as many as one trajectory takes; whether that is all of all of them.

    Source: CONTRACT.md "Trajectory".
    """
    kept: list[dict[str, Any]] = []
    left = contract.TRAJECTORY_BYTES - _ENVELOPE_BYTES
    for message in messages[: contract.TRAJECTORY_MESSAGES]:
        cut = {**message, "content": clipped(message["content"], contract.MESSAGE_CHARS)}
        left -= len(compact(cut)) + 1
        if left < 0:
            break
        kept.append(cut)
    whole = len(kept) == len(messages) and all(len(one["content"]) <= contract.MESSAGE_CHARS for one in messages)
    return kept, whole
