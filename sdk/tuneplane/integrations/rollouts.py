"""What is kept of the rollouts of one training step: a bounded choice, as trajectories of scope `training`.

A diagnostic is a category of interest, never a verdict: a low reward is no failed answer, and what is chosen here
gives no success rate. Source: SPEC "Training rollout diagnostics".
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tuneplane.contract import MESSAGE_CHARS, ROLES, TOOL_CALL_ID_CHARS, TRUNCATED_MARK
from tuneplane.foreign import Foreign
from tuneplane.parcels import compact

CAP = "TUNEPLANE_JOB_ROLLOUT_UPLOAD_SAMPLES"
MOST_A_STEP = 32
MOST_MESSAGES = 32
DOCUMENT_BYTES = 48 * 1024
_FIRST_CHARS = 8192
"""Characters of a message; halved until the document fits."""
_NAME_CHARS = 256


class Rollout(NamedTuple):
    """One completion, as the trainer recorded it."""

    row: int
    """Its place in the trainer's record of the step, from 0."""
    messages: Sequence[Mapping[str, Any]]
    reward: float | None
    """None where the trainer recorded none, or none that is one finite number."""
    roles_inferred: bool
    """The record holds text without roles."""


def most_a_step(env: Mapping[str, str] = os.environ) -> int:
    """How many of a step are kept, 0 to 32. What is no number, or out of range, leaves the default of 32."""
    text = env.get(CAP, "").strip()
    asked = int(text) if text.isascii() and text.isdigit() else MOST_A_STEP
    return min(asked, MOST_A_STEP)


def diagnostic(reward: float | None) -> str:
    """The category under which a rollout is found."""
    if reward is None or not math.isfinite(reward):
        return "anomaly"
    return "low_reward" if reward <= 0 else "representative"


def chosen(rollouts: Sequence[Rollout], most: int) -> list[Rollout]:
    """At most `most` of them, from each category alike and spread over it, in their order."""
    groups: dict[str, list[Rollout]] = {}
    for rollout in rollouts:
        groups.setdefault(diagnostic(rollout.reward), []).append(rollout)
    shares = dict.fromkeys(groups, 0)
    left = min(most, len(rollouts))
    while left:
        for kind, group in groups.items():
            if left and shares[kind] < len(group):
                shares[kind] += 1
                left -= 1
    kept = [group[at * len(group) // shares[kind]] for kind, group in groups.items() for at in range(shares[kind])]
    return sorted(kept, key=lambda rollout: rollout.row)


def round_of(step: int) -> str:
    """The round id of a training step's rollouts."""
    return f"training-step-{step}"


def trajectories(rollouts: Sequence[Rollout], step: int, most: int, *, whole_step: bool) -> list[dict[str, Any]]:
    """The trajectories to keep of one step. `whole_step`: `rollouts` are all that the step had."""
    kept = chosen(rollouts, most)
    policy = "all" if whole_step and len(kept) == len(rollouts) else "sampled"
    return [_trajectory(one, step, policy, len(rollouts)) for one in kept]


def _trajectory(rollout: Rollout, step: int, policy: str, rows: int) -> dict[str, Any]:
    """Nothing in a trainer's record says which policy generated it: that stays unknown."""
    trace: dict[str, Any] = {
        "scope": "training",
        "round_id": round_of(step),
        "trial_id": f"row-{rollout.row}",
        "trial_attempt": 0,
        "total_messages": len(rollout.messages),
        "capture_policy": policy,
        "diagnostic": diagnostic(rollout.reward),
        "step": step,
        "source_rows": rows,
    }
    if rollout.reward is not None and math.isfinite(rollout.reward):
        trace["reward"] = rollout.reward
    if rollout.roles_inferred:
        trace["roles_inferred"] = True
    first = rollout.messages[:MOST_MESSAGES]
    longest = _FIRST_CHARS
    while True:
        trace["messages"] = [_message(one, longest) for one in first]
        if len(compact(trace)) <= DOCUMENT_BYTES or longest <= len(TRUNCATED_MARK):
            break
        longest //= 2
    whole = all(len(str(one.get("content") or "")) <= longest for one in first)
    trace["complete"] = whole and len(first) == len(rollout.messages)
    return trace


def _message(message: Mapping[str, Any], longest: int) -> dict[str, Any]:
    kept: dict[str, Any] = {
        "role": message["role"],
        "content": clipped(str(message.get("content") or ""), min(longest, MESSAGE_CHARS)),
    }
    for name, most in (("tool_name", _NAME_CHARS), ("tool_call_id", TOOL_CALL_ID_CHARS)):
        text = message.get(name)
        if isinstance(text, str) and 1 <= len(text) <= most and text.isprintable():
            kept[name] = text
    return kept


def clipped(text: str, longest: int) -> str:
    """The text, or its beginning and the mark of truncation, in `longest` characters."""
    return text if len(text) <= longest else text[: longest - len(TRUNCATED_MARK)] + TRUNCATED_MARK


def exchange(prompt: Foreign, completion: Foreign) -> tuple[list[dict[str, Any]], bool]:
    """Messages of a prompt and a completion, each text or a list of chat messages; whether roles were inferred."""
    asked, first = _messages(prompt, "user")
    answered, second = _messages(completion, "assistant")
    return asked + answered, first or second


def _messages(value: Foreign, role: str) -> tuple[list[dict[str, Any]], bool]:
    if isinstance(value, (list, tuple)) and value and all(isinstance(one, Mapping) for one in value):
        found = [_chat_message(one, role) for one in value]
        return [message for message, _ in found], any(inferred for _, inferred in found)
    return [{"role": role, "content": _text(value)}], True


def _chat_message(message: Mapping[str, Any], role: str) -> tuple[dict[str, Any], bool]:
    given = message.get("role")
    named = "system" if given == "developer" else given
    text = _text(message.get("content"))
    calls = message.get("tool_calls")
    if calls:
        text = f"{text}\n{_text(calls)}" if text else _text(calls)
    kept = {"role": named if named in ROLES else role, "content": text, "tool_name": message.get("name")}
    return {**kept, "tool_call_id": message.get("tool_call_id")}, named not in ROLES


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
