"""What one Harbor `result.json` says of its trial: a verdict, and why where there is none.

Any version from 0.6 on: absent and unknown fields are tolerated. Only a reward of exactly 0 or 1 is a verdict, and an
exception that is not an agent's timeout takes it back: what broke is not what the model answered.
Source: SPEC "Import native evaluation artifacts", RULINGS "Producers", FORMATS §1.3 and §1.4.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Callable

from common.eval import strict_json
from common.eval.checked import Fields, kind_of
from common.eval.reason import as_reason
from common.eval.refused import InputRefused

RESULT = "result.json"
RESULT_BYTES = 1024 * 1024
AGENT_TIMEOUT = "AgentTimeoutError"
"""The agent's time was over; what it had done was verified all the same."""
INFRASTRUCTURE = frozenset({"VerifierTimeoutError", "EnvironmentStartTimeoutError", "AgentSetupTimeoutError"})
"""These say that the machinery failed, and nothing of the model."""
NO_RESULT = f"no {RESULT}: never started, still running, or killed"
_SAFE = re.compile(
    r"\A(?:Agent execution|Verifier execution|Environment start|Agent setup) timed out after [\d.]{1,20} seconds\Z"
)
"""Messages that hold nothing of the task or the machine."""
_NAME = re.compile(r"\A[A-Za-z_][\w.]{0,127}\Z")
_OF_A_TRIAL = ("task_name", "verifier_result", "exception_info", "step_results")
"""One of them is in every result; `trial_name` is in a trial's configuration too."""
_OF_A_JOB = ("n_total_trials", "stats", "evals")


@dataclass(frozen=True)
class Verdict:
    """The outcome of one attempt."""

    status: str
    """`success`, `failure`, `infra_error` or `unscored`."""
    reason: str | None
    """Why it is not scored, or what ended it all the same; None where there is nothing to explain."""
    finished_at: str | None
    """ISO-8601 with an offset, the evaluator's clock; None where none can be read or its zone is not known."""


Clean = Callable[[str], str]
"""Takes what is sensitive out of a text."""


def missing() -> Verdict:
    """Of an attempt that the plan names and that left no result."""
    return Verdict("unscored", NO_RESULT, None)


def read_result(data: bytes, file: str, clean: Clean | None = None) -> Verdict:
    """Raises `InputRefused` for what is no trial's result.

    An exception's message may hold anything, so it is told only where `clean` has been over it, or where it is one of
    a timeout's fixed sentences; its type is always told.
    """
    fields = Fields(file, "", strict_json.parse(data, file))
    _of_a_trial(fields)
    exception = _exception(fields, clean)
    status, reason = _outcome(fields, exception)
    return Verdict(status, reason, _finished_at(fields))


@dataclass(frozen=True)
class _Exception:
    kind: str
    said: str
    """The type, and the message where it may be told."""


def _of_a_trial(fields: Fields) -> None:
    if any(name in fields.values for name in _OF_A_TRIAL):
        return
    if any(name in fields.values for name in _OF_A_JOB):
        rule = "is the result of a whole job, not of a trial: name the trial's own directory in the plan"
        raise InputRefused(fields.file, "task_name", rule)
    raise InputRefused(fields.file, "task_name", "is missing: this is no result of a Harbor trial")


def _outcome(fields: Fields, exception: _Exception | None) -> tuple[str, str | None]:
    if exception is not None and exception.kind in INFRASTRUCTURE:
        return "infra_error", exception.said
    if exception is not None and exception.kind != AGENT_TIMEOUT:
        return "unscored", exception.said
    reward, problem = _reward(fields)
    if problem is None and fields.values.get("reward_valid") is False:
        problem = "the evaluator calls the reward invalid"
    if problem is not None:
        return "unscored", as_reason(f"{exception.said}; {problem}" if exception else problem)
    return ("success" if reward == 1 else "failure"), exception.said if exception else None


def _reward(fields: Fields) -> tuple[int | float | None, str | None]:
    """The binary reward, or why there is none. Of several rewards, the one that is called `reward`."""
    result = fields.optional("verifier_result")
    rewards = result.optional("rewards") if result else None
    if rewards is None:
        return None, "no reward: the verifier gave none"
    if not rewards.values:
        return None, "no reward: the verifier's list of rewards is empty"
    if len(rewards.values) > 1 and "reward" not in rewards.values:
        names = ", ".join(sorted(rewards.values))
        return None, as_reason(f"{len(rewards.values)} rewards, none of them called `reward`: {names}")
    name = "reward" if "reward" in rewards.values else next(iter(rewards.values))
    value = rewards.values[name]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None, as_reason(f"the reward {name!r} is {kind_of(value)}, not a number")
    if value not in {0, 1}:
        return None, as_reason(f"the reward {name!r} is {value}, neither 0 nor 1")
    return value, None


def _exception(fields: Fields, clean: Clean | None) -> _Exception | None:
    """The trial's exception, else the gravest of its steps: the machinery's first, an agent's timeout last."""
    own = fields.optional("exception_info")
    if own is not None:
        return _told(own, clean)
    found: list[_Exception] = []
    for at, step in enumerate(fields.optional_list("step_results")):
        info = Fields(fields.file, f"step_results[{at}]", step).optional("exception_info")
        if info is not None:
            found.append(_told(info, clean))
    return min(found, key=lambda one: (one.kind not in INFRASTRUCTURE, one.kind == AGENT_TIMEOUT), default=None)


def _told(info: Fields, clean: Clean | None) -> _Exception:
    kind, message = info.optional_text("exception_type"), info.optional_text("exception_message")
    if not _NAME.match(kind):
        return _Exception("", "an exception whose type is not told")
    if clean is not None:
        message = clean(message)
    elif not _SAFE.match(message):
        message = ""
    return _Exception(kind, as_reason(f"{kind}: {message}" if message.strip() else kind))


def _finished_at(fields: Fields) -> str | None:
    written = fields.optional_text("finished_at")
    try:
        moment = datetime.fromisoformat(written.replace("Z", "+00:00")) if written else None
        if moment is None or moment.tzinfo is None:
            return None
        in_utc = moment.astimezone(timezone.utc)  # which has no year 0, and no year 10000
        # A server takes no seconds in an offset.
        return (in_utc if moment.strftime("%z")[5:] else moment).isoformat()
    except (ValueError, OverflowError):
        return None
