"""One execution of one trial: generate, verify, and keep apart what went wrong.

A generation that raises is an execution error. A verifier that runs out of time is one, too; whatever else it raises
leaves the trial without a verdict. Neither is ever a failure of the model.
Source: SPEC "Evaluation outcome coverage"; RULINGS "Producers".
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Callable

from tuneplane.redaction import redacted

from common.eval.math_answer import NotUnderstood
from common.eval.math_evidence import Execution
from common.eval.math_problems import Problem
from common.eval.reason import as_reason

Generate = Callable[[str], Any]
"""A prompt's completion, text."""
Verify = Callable[[str, str], Any]
"""Whether a completion gives the expected answer: True or 1, False or 0."""
PROMPT = "{problem}\n\nThink step by step, and put the final answer in \\boxed{{}}."


def prompt_of(problem: Problem) -> str:
    return PROMPT.format(problem=problem.text)


def execute(problem: Problem, attempt: int, generate: Generate, verify: Verify) -> Execution:
    """Raises nothing but what ends the whole program."""

    def ended(status: str, reason: str | None, completion: str | None) -> Execution:
        now = datetime.now(timezone.utc).isoformat()
        return Execution(problem.trial_id, attempt, status, reason, completion, now)

    try:
        completion = generate(prompt_of(problem))
    except Exception as failed:  # noqa: BLE001 - the user's own may raise anything
        return ended("infra_error", _reason("generation", failed), None)
    if not isinstance(completion, str):
        return ended("infra_error", f"generation: returned {type(completion).__name__}, and has to return text", None)
    try:
        verdict = verify(completion, problem.expected)
    except TimeoutError as failed:
        return ended("infra_error", _reason("verifier", failed), completion)
    except Exception as failed:  # noqa: BLE001 - the user's own may raise anything
        return ended("unscored", _reason("verifier", failed), completion)
    if not isinstance(verdict, (bool, int, float)) or verdict not in (0, 1):
        return ended(
            "unscored", as_reason(redacted(f"verifier: returned {verdict!r}, neither true nor false")), completion
        )
    return ended("success" if verdict else "failure", None, completion)


def _reason(where: str, failed: Exception) -> str:
    kind = "not understood" if isinstance(failed, NotUnderstood) else type(failed).__name__
    return as_reason(redacted(f"{where}: {kind}: {failed}"))
