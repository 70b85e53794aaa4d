"""The settings of a native evaluation as evidence: taken from what Harbor was really given.

What a plan declares beside that (a seed, a tool policy) is kept as declared; where it contradicts what Harbor is given,
the plan is refused. Source: SPEC "Settings evidence is derived from the actual supplied trial configuration".
"""

from __future__ import annotations

import copy
import math
from typing import Any

from common.eval.refused import InputRefused

EVIDENCE = "execution"
"""The key of the plan's settings that we write."""
_ROUTING = {"agent": ("model_name", "base_url"), "kwargs": ("api_base", "base_url", "model_name")}
"""Where the model is served, and under which name. Which model it is, the checkpoint says; two checkpoints that were
evaluated alike are to be comparable though they were served at different addresses."""


def settings_with_evidence(
    declared: dict[str, Any], trial: dict[str, Any], timeout_seconds: float, harbor: str
) -> dict[str, Any]:
    """The settings of the plan that is imported. `harbor` is the version that ran."""
    taken = {
        "trial": _without_routing(trial),
        "trial_timeout_seconds": timeout_seconds,
        "harbor": harbor,
        "order": "one after another",
        "automatic_retries": 0,
    }
    return {**declared, EVIDENCE: taken}


def _without_routing(trial: dict[str, Any]) -> dict[str, Any]:
    kept = copy.deepcopy(trial)
    agent = kept["agent"]
    for name in _ROUTING["agent"]:
        agent.pop(name, None)
    kwargs = agent.get("kwargs")
    if isinstance(kwargs, dict):
        for name in _ROUTING["kwargs"]:
            kwargs.pop(name, None)
    return kept


def refuse_contradictions(declared: dict[str, Any], trial: dict[str, Any], file: str) -> None:
    """Raises `InputRefused` where the plan's budgets or sampling name another value than Harbor is given.

    Compared are `budgets.agent_seconds` and `budgets.verifier_seconds` with the two `override_timeout_sec`, multiplied
    as Harbor does, and every key of `sampling` with the agent's keyword argument of that name.
    """
    for name, section in (("agent_seconds", "agent"), ("verifier_seconds", "verifier")):
        given = _budget(trial, section)
        said = _inner(declared, "budgets").get(name)
        if said is not None and given is not None and said != given:
            rule = f"declares {said!r}, and trial.{section} gives {given!r}"
            raise InputRefused(file, f"plan.settings.budgets.{name}", rule)
    arguments = _inner(_inner(trial, "agent"), "kwargs")
    for name, said in _inner(declared, "sampling").items():
        if name in arguments and arguments[name] != said:
            rule = f"declares {said!r}, and trial.agent.kwargs gives {arguments[name]!r}"
            raise InputRefused(file, f"plan.settings.sampling.{name}", rule)


def _budget(trial: dict[str, Any], section: str) -> float | None:
    """Seconds that Harbor gives; None where it takes them from each task, or where they are no numbers."""
    part = _inner(trial, section)
    multiplier = trial.get(f"{section}_timeout_multiplier")
    numbers = [
        part.get("override_timeout_sec"),
        trial.get("timeout_multiplier", 1) if multiplier is None else multiplier,
    ]
    if not all(isinstance(one, (int, float)) for one in numbers):
        return None
    seconds, longest = numbers[0], part.get("max_timeout_sec")
    if isinstance(longest, (int, float)):
        seconds = min(seconds, longest)
    try:
        return float(seconds * numbers[1])
    except OverflowError:
        return math.inf


def _inner(value: dict[str, Any], name: str) -> dict[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}
