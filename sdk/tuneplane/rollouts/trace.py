"""A conversation as messages of a trajectory, cut to what is kept of a training rollout, and saying so.

Source: CONTRACT.md "NeMo-RL training logs": at most 32 messages of 1,024 characters, documents of at most 48 KiB;
truncation clears `complete`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tuneplane.clipping import clipped
from tuneplane.parcels import compact

MESSAGES = 32
MESSAGE_CHARS = 1_024
DOCUMENT_BYTES = 48 * 1024


class Message(NamedTuple):
    """What one side said."""

    role: str
    """One of `contract.ROLES`."""
    text: str
    tool_name: str | None = None
    whole: bool = True
    """False: the source holds more than this text, an image for instance."""


def trace(fields: Mapping[str, Any], said: Sequence[Message], most_chars: int = MESSAGE_CHARS) -> dict[str, Any]:
    """The trajectory of `fields` with the first messages of `said`, as many as may be kept; at least one is given.

    `most_chars` are kept of a message.
    `total_messages` counts all of them; `complete` says that nothing was left out and nothing was cut.
    """
    kept = [_message(one, most_chars) for one in said[:MESSAGES]]
    whole = len(kept) == len(said) and all(one.whole and len(one.text) <= most_chars for one in said)
    made = {**fields, "messages": kept, "total_messages": len(said), "complete": whole}
    while len(kept) > 1 and len(compact(made)) > DOCUMENT_BYTES:
        kept.pop()
        made["complete"] = False
    return made


def _message(one: Message, most_chars: int) -> dict[str, Any]:
    named = {} if one.tool_name is None else {"tool_name": one.tool_name}
    return {"role": one.role, "content": clipped(one.text, most_chars), **named}
