"""What `native_eval` is to execute, checked as far as it can be without Harbor.

Source: SPEC "Execute a fixed-checkpoint native evaluation".
"""

from __future__ import annotations

import copy
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.eval import strict_json
from common.eval.checked import Fields, kind_of
from common.eval.plan import PLAN_BYTES, Plan, parse_plan
from common.eval.plan_secrets import refuse_secrets
from common.eval.refused import InputRefused
from common.eval.settings_evidence import EVIDENCE, refuse_contradictions

EXECUTION_SCHEMA = "tuneplane/native-evaluation-execution/v1"
TRIALS = 128
LONGEST_SECONDS = 7 * 24 * 3600
"""What is longer is a mistake in the unit."""
TASK_FILE = "task.toml"
_OURS = ("task", "trial_name", "trials_dir", "job_id")
_NO_EXECUTION = {
    "install_only": "runs neither agent nor verifier",
    "source_trial": "grades an earlier execution again, and this command makes new ones",
}
_NO_NAME = re.compile(r"[^A-Za-z0-9-]+")
_NAME_CHARS = 32


@dataclass(frozen=True)
class ExecutionTrial:
    """One trial to execute, once."""

    task_id: str
    trial_id: str
    directory: str
    """Harbor's name of the trial, of its folder and of its sandbox: no two executions have the same."""
    task_path: Path
    """Absolute, links resolved."""


@dataclass(frozen=True)
class ExecutionPlan:
    """A checked configuration."""

    given: dict[str, Any]
    """All of it, as it was given; holds no secret."""
    plan: dict[str, Any]
    """The import plan as it was given; no trial has attempts."""
    trials: tuple[ExecutionTrial, ...]
    """In the order of the plan, which is the order of execution."""
    trial: dict[str, Any]
    """Harbor's settings of every trial, as they were given."""
    timeout_seconds: float
    """For each trial."""

    @property
    def checked_plan(self) -> Plan:
        return parse_plan(self.plan)

    def native_trial(self, trial: ExecutionTrial, trials_dir: Path) -> dict[str, Any]:
        """Harbor's whole configuration of one trial, whose folder is made below `trials_dir`."""
        own = {"task": {"path": str(trial.task_path)}, "trial_name": trial.directory, "trials_dir": str(trials_dir)}
        return {**copy.deepcopy(self.trial), **own}


def read_execution_plan(path: Path) -> ExecutionPlan:
    """The configuration in a file. Relative task paths are taken from the file's folder. Raises `InputRefused`."""
    return parse_execution_plan(strict_json.read(path, PLAN_BYTES), str(path), path.parent)


def parse_execution_plan(value: object, file: str, folder: Path) -> ExecutionPlan:
    """The configuration that a JSON value says. Raises `InputRefused`."""
    fields = Fields(file, "", value).only("schema", "plan", "task_paths", "timeout_seconds", "trial")
    if fields.values["schema"] != EXECUTION_SCHEMA:
        raise InputRefused(file, "schema", f"has to be {EXECUTION_SCHEMA}")
    refuse_secrets(fields.values, file)
    plan = _plan(fields)
    trial = _trial_settings(fields)
    refuse_contradictions(plan["settings"], trial, file)
    return ExecutionPlan(
        given=dict(fields.values),
        plan=plan,
        trials=_trials(plan, _task_paths(fields, plan, folder)),
        trial=trial,
        timeout_seconds=_seconds(fields, "timeout_seconds"),
    )


def _plan(fields: Fields) -> dict[str, Any]:
    plan = dict(fields.inner("plan").values)
    try:
        checked = parse_plan(plan, fields.file)
    except InputRefused as problem:
        raise InputRefused(fields.file, f"plan.{problem.field}".rstrip("."), problem.rule) from None
    if len(checked.trials) > TRIALS:
        rule = f"has {len(checked.trials)}; at most {TRIALS} are executed: part a larger cohort"
        raise InputRefused(fields.file, "plan.trials", rule)
    for at, trial in enumerate(plan["trials"]):
        if trial["attempts"]:
            rule = (
                "has to be empty: attempts are what this command makes, and results that are there already are imported"
            )
            raise InputRefused(fields.file, f"plan.trials[{at}].attempts", rule)
    if EVIDENCE in plan["settings"]:
        raise InputRefused(fields.file, f"plan.settings.{EVIDENCE}", "is written by this command, from `trial`")
    return plan


def _trial_settings(fields: Fields) -> dict[str, Any]:
    trial = fields.inner("trial")
    for name in trial.values:
        if name in _OURS:
            raise InputRefused(fields.file, f"trial.{name}", "is set by this command for each trial")
        if name in _NO_EXECUTION:
            raise InputRefused(fields.file, f"trial.{name}", _NO_EXECUTION[name])
    for name in ("agent", "environment", "verifier"):
        if name not in trial.values:
            rule = "is missing: what Harbor would take in its place differs between its versions; {} is its default"
            raise InputRefused(fields.file, f"trial.{name}", rule)
        trial.inner(name)
    return dict(trial.values)


def _task_paths(fields: Fields, plan: dict[str, Any], folder: Path) -> dict[str, Path]:
    given = fields.inner("task_paths")
    tasks = {trial["task_id"] for trial in plan["trials"]}
    for task in given.values:
        if task not in tasks:
            raise InputRefused(fields.file, f"task_paths.{task[:80]}", "is no task of the plan")
    return {task: _task_path(given, task, folder) for task in sorted(tasks)}


def _task_path(given: Fields, task: str, folder: Path) -> Path:
    at = given.path(task)
    if task not in given.values:
        raise InputRefused(given.file, at, "is missing: each task of the plan needs the path of its folder")
    value = given.values[task]
    if not isinstance(value, str) or not value or "\0" in value:
        raise InputRefused(given.file, at, f"has to be the path of a folder, not {kind_of(value)}")
    try:
        return _task_folder(given, at, folder / value, task)
    except OSError as problem:  # what is too long, or closed to us
        raise InputRefused(given.file, at, f"cannot be looked at: {problem.strerror}") from None
    except RuntimeError:
        raise InputRefused(given.file, at, "leads into a loop of symbolic links") from None
    except UnicodeEncodeError:
        raise InputRefused(given.file, at, "holds half a character, which no file's name has") from None


def _task_folder(given: Fields, at: str, place: Path, task: str) -> Path:
    path = place.resolve()
    if path.name != task:
        raise InputRefused(given.file, at, f"leads to a folder named {path.name!r}; it has to be named as the task is")
    if not path.is_dir():
        raise InputRefused(given.file, at, f"{path} is no folder on this machine")
    if not (path / TASK_FILE).is_file():
        raise InputRefused(given.file, at, f"{path} holds no {TASK_FILE}")
    return path


def _trials(plan: dict[str, Any], paths: dict[str, Path]) -> tuple[ExecutionTrial, ...]:
    execution = secrets.token_hex(4)
    return tuple(
        ExecutionTrial(
            task_id=trial["task_id"],
            trial_id=trial["trial_id"],
            directory=f"{number:03d}-{_plain(trial['task_id'])}-{execution}",
            task_path=paths[trial["task_id"]],
        )
        for number, trial in enumerate(plan["trials"], start=1)
    )


def _plain(task: str) -> str:
    """What of a task's id every file system and provider takes in a name."""
    return _NO_NAME.sub("-", task)[:_NAME_CHARS].strip("-") or "task"


def _seconds(fields: Fields, name: str) -> float:
    value = fields.values[name]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= LONGEST_SECONDS:
        raise InputRefused(fields.file, name, f"has to be a number of seconds over 0, at most {LONGEST_SECONDS:,}")
    return float(value)
