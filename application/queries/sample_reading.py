"""How one validation sample reads: its conversation, what its reward is made of, and a pair of answers.

A sample holds `user`, `assistant` and `env`; what else its producer says stands in `extra`, and is recognised in these
forms: `system` (text), `messages` (of role and content), `chosen` and `rejected` (text or messages),
`reward_components` or `rewards` (numbers by name). Nothing is left out: the rest is shown as it came.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeGuard

import msgspec

from application.queries.sample import ValidationSample

_COMPONENTS = ("reward_components", "rewards")


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """One message."""

    role: str
    text: str


class Component(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a reward, as the producer reports it."""

    name: str
    value: float


class SampleReading(msgspec.Struct, frozen=True, kw_only=True):
    idx: int
    conversation: list[Said]
    chosen: list[Said] | None
    """The preferred answer of a pair; None, as is `rejected`, where the sample is no pair."""
    rejected: list[Said] | None
    env: str
    reward: float | None
    """None: not given."""
    components: list[Component]
    more: list[tuple[str, str]]
    """Whatever else was sent: names, and values as text or JSON."""


def reading(sample: ValidationSample) -> SampleReading:
    """The sample as people read it."""
    rest = dict(sample.extra)
    told = [
        Said(role=role, text=text) for role, text in (("user", sample.user), ("assistant", sample.assistant)) if text
    ]
    messages = _messages(rest["messages"]) if "messages" in rest else None
    if messages is not None:
        del rest["messages"]
        texts = {one.text for one in messages}
        told = messages + [one for one in told if one.text not in texts]
    if isinstance(system := rest.get("system"), str):
        del rest["system"]
        told = told if any(one.text == system for one in told) else [Said(role="system", text=system), *told]
    chosen, rejected = _answer(rest.get("chosen")), _answer(rest.get("rejected"))
    if chosen is None or rejected is None:
        chosen = rejected = None
    else:
        del rest["chosen"], rest["rejected"]
    components: list[Component] = []
    for name in _COMPONENTS:
        if _numbers(parts := rest.get(name)):
            del rest[name]
            components += [Component(name=one, value=value) for one, value in parts.items()]
    return SampleReading(
        idx=sample.idx,
        conversation=told,
        chosen=chosen,
        rejected=rejected,
        env=sample.env,
        reward=sample.reward,
        components=components,
        more=[
            (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
            for name, value in rest.items()
        ],
    )


def _messages(sent: object) -> list[Said] | None:
    """None where these are no messages of a role and a text."""
    if not isinstance(sent, list) or not sent:
        return None
    found = []
    for one in sent:
        if not isinstance(one, dict) or set(one) - {"role", "content"}:
            return None
        if not isinstance(role := one.get("role"), str) or not isinstance(text := one.get("content"), str):
            return None
        found.append(Said(role=role, text=text))
    return found


def _answer(sent: object) -> list[Said] | None:
    return [Said(role="assistant", text=sent)] if isinstance(sent, str) else _messages(sent)


def _numbers(sent: object) -> TypeGuard[Mapping[str, Any]]:
    if not isinstance(sent, dict) or not sent:
        return False
    return all(isinstance(one, int | float) and not isinstance(one, bool) for one in sent.values())
