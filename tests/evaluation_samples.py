"""What evaluators wrote (tests/samples), as a job reports it: outcomes of Harbor results, messages of ATIF files,
rows of lm-eval. Just enough for these files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
from tuneplane.contract import MESSAGE_CHARS, POLICY_CHARS

FOLDER = Path(__file__).parent / "samples"
_CUT = "…[truncated]"
_BROKE = {"VerifierTimeoutError", "EnvironmentStartTimeoutError", "AgentSetupTimeoutError"}
_VERDICTS = {0.0: "failure", 1.0: "success"}


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """One Harbor result, as an outcome and the words that explain it."""

    status: str
    reason: str | None
    """None where the verdict needs none."""
    text: str
    """What Harbor wrote of it: its exception, else the verifier's answer."""


def harbor(name: str) -> Told:
    """`samples/harbor/NAME.result.json`. An agent's timeout keeps a binary verdict; other exceptions do not."""
    result = _json(f"harbor/{name}.result.json")
    exception, rewards = result["exception_info"], (result["verifier_result"] or {}).get("rewards")
    kind = exception and exception["exception_type"]
    said = f"{kind}: {exception['exception_message']}" if exception else None
    text = exception["exception_traceback"] if exception else f"Verifier: {json.dumps(result['verifier_result'])}"
    if kind in _BROKE:
        return Told(status="infra_error", reason=said, text=text)
    reward = (rewards or {}).get("reward")
    if reward not in _VERDICTS or kind not in {None, "AgentTimeoutError"}:
        return Told(status="unscored", reason=said or f"the reward is {reward}, neither 0 nor 1", text=text)
    return Told(status=_VERDICTS[reward], reason=said, text=text)


def atif(name: str) -> list[dict[str, Any]]:
    """The messages of `samples/atif/NAME.json`: an agent's step is its words, then one message for each result."""
    found: list[dict[str, Any]] = []
    for step in _json(f"atif/{name}.json")["steps"]:
        role = "assistant" if step["source"] == "agent" else step["source"]
        calls = step.get("tool_calls") or []
        asked = "".join(f"\n\n{one['function_name']}({json.dumps(one['arguments'])})" for one in calls)
        tokens = (step.get("metrics") or {}).get("completion_tokens")
        found.append(_message(role, f"{step['message']}{asked}".strip(), tokens=tokens))
        for at, one in enumerate((step.get("observation") or {}).get("results", [])):
            call = calls[at] if at < len(calls) else {"function_name": None, "tool_call_id": None}
            names = {"tool_name": call["function_name"], "tool_call_id": call["tool_call_id"]}
            found.append(_message("tool", one.get("content") or "", **names))
    return found


def was_cut(messages: list[dict[str, Any]]) -> bool:
    """Whether a message lost its end."""
    return any(one["content"].endswith(_CUT) for one in messages)


def as_termination(reason: str | None) -> str | None:
    """As long as a trajectory may say it."""
    return reason and reason[:POLICY_CHARS]


def system_message(text: str) -> dict[str, Any]:
    return _message("system", text)


def lm_eval_rows(name: str) -> list[dict[str, Any]]:
    """The documents of `samples/lm-eval/NAME.jsonl`."""
    text = (FOLDER / "lm-eval" / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def lm_eval_results(name: str) -> dict[str, Any]:
    return _json(f"lm-eval/{name}.json")


def _message(role: str, text: str, **more: Any) -> dict[str, Any]:
    content = text if len(text) <= MESSAGE_CHARS else text[: MESSAGE_CHARS - len(_CUT)] + _CUT
    return {"role": role, "content": content, **{key: one for key, one in more.items() if one is not None}}


def _json(path: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / path).read_text(encoding="utf-8"))
    return found
