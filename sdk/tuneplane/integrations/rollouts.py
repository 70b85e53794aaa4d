"""The rollouts that a trainer recorded of one training step, as trajectories: which of them, and as which messages.

What is kept is chosen and bounded by `tuneplane.rollouts`. Source: SPEC "Training rollout diagnostics".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tuneplane.contract import ROLES
from tuneplane.flatten import finite
from tuneplane.foreign import Foreign
from tuneplane.parcels import compact
from tuneplane.rollouts.choice import Choice, category
from tuneplane.rollouts.trace import Message, trace

MESSAGE_CHARS = 4_096
"""Of a message: prompt and completion are one each, and the end of a completion is mostly its answer."""
_NAME_CHARS = 256


class Rollout(NamedTuple):
    """One completion, as the trainer recorded it."""

    row: int
    """Its place in the trainer's record of the step, from 0."""
    messages: Sequence[Message]
    reward: float | None
    """None where the trainer recorded none, or none that is one finite number."""
    roles_inferred: bool
    """The record holds text without roles."""


def round_of(step: int) -> str:
    """The round id of a training step's rollouts."""
    return f"training-step-{step}"


def trajectories(rollouts: Sequence[Rollout], step: int, most: int, *, whole_step: bool) -> list[dict[str, Any]]:
    """The trajectories to keep of one step. `whole_step`: `rollouts` are all that the step had."""
    choice = Choice[Rollout](most, round_of(step))
    for one in rollouts:
        choice.offer(one.row, category(one.reward), lambda one=one: one)  # type: ignore[misc]  # a default binds it
    kept = choice.chosen(most)
    policy = "all" if whole_step and len(kept) == len(rollouts) else "sampled"
    return [_trajectory(one, step, policy, len(rollouts)) for _, one in kept]


def _trajectory(rollout: Rollout, step: int, policy: str, rows: int) -> dict[str, Any]:
    """Nothing in a trainer's record says which policy generated it: that stays unknown."""
    fields: dict[str, Any] = {
        "scope": "training",
        "round_id": round_of(step),
        "trial_id": f"row-{rollout.row}",
        "trial_attempt": 0,
        "capture_policy": policy,
        "diagnostic": category(rollout.reward),
        "step": step,
        "source_rows": rows,
    }
    reward = finite(rollout.reward)
    if reward is not None:
        fields["reward"] = reward
    if rollout.roles_inferred:
        fields["roles_inferred"] = True
    return trace(fields, rollout.messages, MESSAGE_CHARS)


def exchange(prompt: Foreign, completion: Foreign) -> tuple[list[Message], bool]:
    """Messages of a prompt and a completion, each text or a list of chat messages; whether roles were inferred."""
    asked, first = _messages(prompt, "user")
    answered, second = _messages(completion, "assistant")
    return asked + answered, first or second


def _messages(value: Foreign, role: str) -> tuple[list[Message], bool]:
    if isinstance(value, (list, tuple)) and value and all(isinstance(one, Mapping) for one in value):
        found = [_chat_message(one, role) for one in value]
        return [message for message, _ in found], any(inferred for _, inferred in found)
    return [Message(role, _text(value))], True


def _chat_message(message: Mapping[str, Any], role: str) -> tuple[Message, bool]:
    given = message.get("role")
    named = "system" if given == "developer" else given
    text = _text(message.get("content"))
    calls = message.get("tool_calls")
    if calls:
        text = f"{text}\n{_text(calls)}" if text else _text(calls)
    tool = message.get("name")
    shown = tool if isinstance(tool, str) and 1 <= len(tool) <= _NAME_CHARS and tool.isprintable() else None
    return Message(named if named in ROLES else role, text, shown), named not in ROLES


def _text(value: Foreign) -> str:
    """Text as it is; of a list of parts their text; anything else as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(one, Mapping) and "text" in one for one in value):
        return "".join(str(one["text"] or "") for one in value)
    try:
        return compact(value).decode()
    except (TypeError, ValueError, RecursionError):
        return str(value)
