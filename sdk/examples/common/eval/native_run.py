"""Executes a checked configuration and leaves evidence that can be imported whatever ends it.

The output folder, which is new:

    config.json             the configuration, as given
    import-plan.json        the import plan: each trial gets its attempt before it starts, so at any moment it says
                            which trials were started and which were not
    trials/                 Harbor's folders, one a trial
    execution-errors.json   what ended or cut trials outside of Harbor's results; written at the end, so where it is
                            missing the command itself was killed

Source: SPEC "Execute a fixed-checkpoint native evaluation".
"""

from __future__ import annotations

import copy
import json
import os
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Callable

from common.eval.execution_plan import ExecutionPlan, ExecutionTrial
from common.eval.harbor_process import HarborProcess, HarborProcessEnded
from common.eval.refused import InputRefused
from common.eval.settings_evidence import settings_with_evidence

CONFIG = "config.json"
IMPORT_PLAN = "import-plan.json"
TRIALS_FOLDER = "trials"
ERRORS = "execution-errors.json"
ERRORS_SCHEMA = "tuneplane/native-evaluation-errors/v1"


@dataclass
class Execution:
    """What became of the cohort."""

    planned: int
    started: int = 0
    errors: list[dict[str, Any]] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether every trial was run to Harbor's own end of it."""
        return self.started == self.planned and not self.errors


class Evidence:
    """The files of one execution, each written whole or not at all."""

    def __init__(self, output: Path, config: ExecutionPlan, harbor: str) -> None:
        self.output = output
        self.trials = output / TRIALS_FOLDER
        self._given = config.given
        self._plan = copy.deepcopy(config.plan)
        self._plan["settings"] = settings_with_evidence(
            config.plan["settings"], config.trial, config.timeout_seconds, harbor
        )
        self._at = {(trial["task_id"], trial["trial_id"]): trial for trial in self._plan["trials"]}

    @property
    def plan(self) -> dict[str, Any]:
        """The import plan as it stands."""
        return self._plan

    def open(self) -> None:
        """Makes the folder. Raises `InputRefused` where it is there already or cannot be made."""
        try:
            self.output.mkdir(parents=True)
            self.trials.mkdir()
            write_whole(self.output / CONFIG, self._given)
            write_whole(self.output / IMPORT_PLAN, self._plan)
        except OSError as problem:
            raise InputRefused(str(self.output), "", f"cannot be made: {problem.strerror}") from None

    def started(self, trial: ExecutionTrial) -> None:
        """Before it starts: from now on the plan holds its attempt, which has no result yet."""
        (self.trials / trial.directory).mkdir()
        attempts: list[dict[str, Any]] = self._at[trial.task_id, trial.trial_id]["attempts"]
        attempts.append({"retry": 0, "directory": trial.directory})
        write_whole(self.output / IMPORT_PLAN, self._plan)

    def ended(self, execution: Execution) -> None:
        told = {
            "schema": ERRORS_SCHEMA,
            "planned": execution.planned,
            "started": execution.started,
            "errors": execution.errors,
        }
        write_whole(self.output / ERRORS, told)


def execute(
    config: ExecutionPlan,
    harbor: HarborProcess,
    evidence: Evidence,
    stopped: Callable[[], str | None],
    say: Callable[[str], None],
) -> Execution:
    """Runs the trials one after another, each once; the first error ends it.

    `stopped` gives the name of the signal that came, or None; `say` takes a line for a person.
    """
    execution = Execution(planned=len(config.trials))
    evidence.open()
    for number, trial in enumerate(config.trials):
        if stopped():
            _note(execution, trial, "none", "CancelledError", str(stopped()))
            break
        say(f"trial {number + 1} of {execution.planned}: {trial.task_id}, {trial.trial_id}")
        if not _written(partial(evidence.started, trial), say):
            _note(execution, trial, "none", "OSError", None)
            break
        execution.started += 1
        if not _ran(execution, number, trial, harbor, say):
            break
    _written(partial(evidence.ended, execution), say)
    return execution


def _written(write: Callable[[], None], say: Callable[[str], None]) -> bool:
    """Whether the evidence took it: of a trial that the evidence does not know nothing is started."""
    try:
        write()
    except OSError as problem:  # a full disk
        say(f"the evidence cannot be written: {problem}")
        return False
    return True


def _ran(
    execution: Execution, number: int, trial: ExecutionTrial, harbor: HarborProcess, say: Callable[[str], None]
) -> bool:
    """Whether the next trial may follow."""
    try:
        ended = harbor.run(number)
    except HarborProcessEnded as problem:
        say(str(problem))
        _note(execution, trial, "run", type(problem).__name__, None)
        return False
    if ended.error is None:
        return True
    if ended.message:
        say(f"{ended.error}: {ended.message}")
    _note(execution, trial, ended.phase, ended.error, ended.cut)
    return False


def _note(execution: Execution, trial: ExecutionTrial, phase: str, error: str, cut: str | None) -> None:
    execution.errors.append(
        {"task_id": trial.task_id, "trial_id": trial.trial_id, "phase": phase, "error_type": error, "cut_by": cut}
    )


def write_whole(path: Path, value: object) -> None:
    """Replaces the file at once, so that whoever is killed leaves the old or the new one."""
    beside = path.with_name(f".{path.name}.new")
    with beside.open("w", encoding="utf-8") as file:
        json.dump(value, file, indent=2)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
