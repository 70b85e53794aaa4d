"""The messages of an ATIF trajectory, cleaned, in the order of its steps.

Any version from 1.0 on: absent and unknown fields are tolerated. A step of the system or the user is one message; an
agent's step is its words and each call it made; each result of an observation is a message of a tool. Reasoning, token
ids, embedded trajectories of other agents and copied context are left out. Source: FORMATS §2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tuneplane import contract
from tuneplane.observations import CONTROL

from common.eval import strict_json
from common.eval.checked import Fields, kind_of
from common.eval.harbor_result import Clean
from common.eval.refused import InputRefused

TRAJECTORY = "agent/trajectory.json"
TRAJECTORY_BYTES = 4 * 1024 * 1024
_VERSION = re.compile(r"\AATIF-v1\.\d{1,4}\Z")
_ROLES = {"system": "system", "user": "user", "agent": "assistant"}
Message = dict[str, Any]


def messages(data: bytes, file: str, clean: Clean) -> Iterator[Message]:
    """One after the other, each text cleaned before anything is cut. Raises `InputRefused`."""
    fields = Fields(file, "", strict_json.parse(data, file))
    version = fields.values.get("schema_version")
    if not isinstance(version, str) or not _VERSION.match(version):
        raise InputRefused(file, "schema_version", "has to be ATIF-v1.0 or a later 1.x: other formats are not read")
    steps = fields.list_of("steps")
    if not steps:
        raise InputRefused(file, "steps", "is empty; a trajectory has one step at least")
    for at, one in enumerate(steps):
        step = Fields(file, f"steps[{at}]", one)
        _in_order(step, at + 1)
        if step.values.get("is_copied_context") is not True:
            yield from _of_step(step, clean)


def _in_order(step: Fields, number: int) -> None:
    told = step.values.get("step_id")
    if told is not None and (isinstance(told, bool) or told != number):
        raise InputRefused(step.file, step.path("step_id"), f"has to be {number}: steps are numbered from 1")


def _of_step(step: Fields, clean: Clean) -> Iterator[Message]:
    source = step.values.get("source")
    role = _ROLES.get(source) if isinstance(source, str) else None
    if role is None:
        raise InputRefused(step.file, step.path("source"), "has to be system, user or agent")
    calls = [
        Fields(step.file, f"{step.path('tool_calls')}[{at}]", one)
        for at, one in enumerate(step.optional_list("tool_calls"))
    ]
    words = clean(_words(step, "message"))
    told = [_call(call, clean) for call in calls]
    first, *others = told or [("", {})]
    tokens = _tokens(step)
    yield {
        "role": role,
        "content": f"{words}\n\n{first[0]}" if words and first[0] else words or first[0],
        **first[1],
        **tokens,
    }
    for text, names in others:
        yield {"role": role, "content": text, **names}
    yield from _results(step, {call.optional_text("tool_call_id"): call for call in calls}, clean)


def _call(call: Fields, clean: Clean) -> tuple[str, Message]:
    arguments = call.values.get("arguments")
    name = clean(call.optional_text("function_name"))
    said = clean(json.dumps({} if arguments is None else arguments, ensure_ascii=False))
    return f"{name}({said})", _names(name, clean(call.optional_text("tool_call_id")))


def _results(step: Fields, calls: dict[str, Fields], clean: Clean) -> Iterator[Message]:
    observation = step.optional("observation")
    for at, one in enumerate(observation.optional_list("results") if observation else ()):
        result = Fields(step.file, f"{step.path('observation')}.results[{at}]", one)
        answered = result.optional_text("source_call_id")
        if answered and answered not in calls:
            raise InputRefused(step.file, result.path("source_call_id"), "names no tool call of its step")
        name = calls[answered].optional_text("function_name") if answered else ""
        yield {"role": "tool", "content": clean(_words(result, "content")), **_names(clean(name), clean(answered))}


def _words(fields: Fields, name: str) -> str:
    """Text, or the text of its parts with a word for each picture or sound; null is empty."""
    value = fields.values.get(name)
    if value is None or isinstance(value, str):
        return value or ""
    if not isinstance(value, list):
        raise InputRefused(fields.file, fields.path(name), f"has to be text or a list of parts, not {kind_of(value)}")
    parts: list[str] = []
    for at, one in enumerate(value):
        part = Fields(fields.file, f"{fields.path(name)}[{at}]", one)
        kind = part.optional_text("type")
        parts.append(part.optional_text("text") if kind == "text" else f"[{kind or 'part'}]")
    return "\n".join(parts)


def _names(tool: str, call: str) -> Message:
    """A tool's name and a call's id as a message may carry them; what it may not carry is left out."""
    return {
        key: text
        for key, text, longest in (
            ("tool_name", tool, contract.EVENT_NAME_CHARS),
            ("tool_call_id", call, contract.TOOL_CALL_ID_CHARS),
        )
        if 1 <= len(text) <= longest and not CONTROL.search(text)
    }


def _tokens(step: Fields) -> Message:
    metrics = step.optional("metrics")
    count = metrics.values.get("completion_tokens") if metrics else None
    counted = isinstance(count, int) and not isinstance(count, bool) and count >= 0
    return {"tokens": count} if counted else {}
