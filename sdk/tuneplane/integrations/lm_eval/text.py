"""What a record shows of one trial, as a trajectory: what the model was asked, what it answered, what was made of it.

Nothing is put into the model's mouth: where continuations were scored and no text was generated, the evaluator says so
in a message of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tuneplane import contract
from tuneplane.clipping import fitting
from tuneplane.foreign import Foreign
from tuneplane.integrations.lm_eval.records import Asked, asked, filtered

_SPEAKER = "lm-eval"
_ROLES = {"developer": "system", **{role: role for role in contract.ROLES}}


def trajectory(record: Mapping[str, Any], filter_name: str, *, sampled: bool) -> dict[str, Any]:
    """The fields of a trajectory beside its identity; `complete` is false where something was cut."""
    said = list(_said(record, filter_name))
    messages, whole = fitting(said)
    return {
        "messages": messages,
        "total_messages": len(said),
        "complete": whole,
        "capture_policy": "sampled" if sampled else "all",
    }


def _said(record: Mapping[str, Any], filter_name: str) -> Iterator[dict[str, Any]]:
    shown: list[Foreign] = []
    scored = []
    for one in asked(record):
        prompt = one.arguments[0] if one.arguments else None
        if prompt is not None and prompt not in shown:
            shown.append(prompt)
            yield from _prompt(prompt)
        if _generated(one):
            yield from (_message("assistant", str(answer)) for answer in one.answers)
        else:
            scored.append(one)
    if scored:
        yield _message("tool", "\n".join(map(_scored, scored)), tool_name=_SPEAKER)
    yield _message("tool", _verdict(record, filter_name), tool_name=_SPEAKER)


def _prompt(prompt: Foreign) -> Iterator[dict[str, Any]]:
    """Text, or the one chat that a list holds as JSON."""
    if isinstance(prompt, (list, tuple)) and len(prompt) == 1:
        prompt = prompt[0]
    turns = _chat(prompt)
    for turn in turns:
        yield _message(_ROLES.get(str(turn.get("role")), "user"), _content(turn.get("content")))
    if not turns:
        yield _message("user", prompt if isinstance(prompt, str) else _json(prompt))


def _chat(prompt: Foreign) -> list[Mapping[str, Any]]:
    """The turns; empty where it is plain text."""
    if not (isinstance(prompt, str) and prompt.startswith("[{")):
        return []
    try:
        turns = json.loads(prompt)
    except (ValueError, RecursionError):
        return []
    return turns if all(isinstance(turn, dict) and "role" in turn for turn in turns) else []


def _content(content: Foreign) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    return "\n".join(
        part["text"] if isinstance(part, dict) and isinstance(part.get("text"), str) else _json(part) for part in parts
    )


def _generated(one: Asked) -> bool:
    """A continuation that is only scored is text; a generation has settings in its place."""
    return len(one.arguments) > 1 and not isinstance(one.arguments[1], str)


def _scored(one: Asked) -> str:
    scores = "; ".join(
        ", ".join(map(str, answer)) if isinstance(answer, list) else str(answer) for answer in one.answers
    )
    if len(one.arguments) > 1:
        return f"scored, not generated: {_json(one.arguments[1])} has log-likelihood, greedy: {scores}"
    return f"scored, not generated: the text has log-likelihood: {scores}"


def _verdict(record: Mapping[str, Any], filter_name: str) -> str:
    named = record.get("metrics")
    metrics = [one for one in named if isinstance(one, str)] if isinstance(named, (list, tuple)) else []
    lines = [f"filter {filter_name}: {_json(filtered(record))}", f"target: {record.get('target')}"]
    lines.extend(f"{metric}: {record[metric]}" for metric in metrics if metric in record)
    return "\n".join(lines)


def _message(role: str, content: str, **more: str) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def _json(value: Foreign) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
