"""The three shapes in which NeMo-RL 0.7 writes what was said: messages, a list of one list of them, bare texts.

Texts without roles are user and assistant in turn, from the first on, and it is recorded that these roles are inferred.
Source: RULINGS "Producers", FORMATS §5.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from tuneplane.contract import ROLES
from tuneplane.foreign import Foreign
from tuneplane.rollouts.trace import Message

_ALIASES = {"human": "user", "gpt": "assistant", "developer": "system", "function": "tool"}
_NAME_CHARS = 64


class ContentUnread(ValueError):
    """The content has none of the three shapes."""


class Conversation(NamedTuple):
    """What was said, in order; at least one message."""

    messages: list[Message]
    roles_inferred: bool


def conversation(content: Foreign) -> Conversation:
    """Raises ContentUnread."""
    said = content
    while isinstance(said, list) and len(said) == 1 and isinstance(said[0], list):
        said = said[0]
    if isinstance(said, str):
        said = [said]
    if not isinstance(said, list) or not said:
        message = "content: has to be a list of messages or of texts, and not empty"
        raise ContentUnread(message)
    if all(isinstance(one, str) for one in said):
        roles = ("user", "assistant")
        return Conversation([Message(roles[at % 2], text) for at, text in enumerate(said)], roles_inferred=True)
    return Conversation([_message(one, at) for at, one in enumerate(said)], roles_inferred=False)


def _message(one: Foreign, at: int) -> Message:
    if not isinstance(one, Mapping) or not isinstance(one.get("role"), str) or not one["role"].strip():
        message = f"content[{at}]: has to be an object with a role, as all its neighbours"
        raise ContentUnread(message)
    text, whole = _text(one.get("content"))
    said = one["role"].strip()
    role = _ALIASES.get(said, said)
    if role in ROLES:
        return Message(role, text, whole=whole)
    # `environment` and its like answer the model as a tool does; the name that the source gives them is kept.
    return Message("tool", text, tool_name=_shown(said), whole=whole)


def _text(content: Foreign) -> tuple[str, bool]:
    """The text of a message, and whether that is all there is."""
    if isinstance(content, str):
        return content, True
    if content is None:
        return "", True
    if isinstance(content, list):
        parts = [_part(one) for one in content]
        return "\n".join(text for text, _ in parts), all(whole for _, whole in parts)
    return json.dumps(content, ensure_ascii=False), True


def _part(one: Foreign) -> tuple[str, bool]:
    if isinstance(one, str):
        return one, True
    if isinstance(one, Mapping) and isinstance(one.get("text"), str):
        return one["text"], True
    kind = one.get("type") if isinstance(one, Mapping) else None
    return f"[{_shown(kind) if isinstance(kind, str) else 'not text'}]", False


def _shown(name: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in name[:_NAME_CHARS])
