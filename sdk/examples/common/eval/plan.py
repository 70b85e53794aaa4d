"""The plan of an evaluation: which trials were to be executed, under which protocol, and where their results are.

The planned cohort is the denominator: a trial without attempts was planned and never produced a directory.
Source: SPEC "Import native evaluation artifacts".
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tuneplane import contract

from common.eval import strict_json
from common.eval.checked import Fields, kind_of
from common.eval.refused import InputRefused

PLAN_SCHEMA = "tuneplane/native-evaluation-import/v1"
SOURCE_REVISIONS = ("ea644fecbc24abf404483d804df4e28caeb44d33",)
"""Revisions of the source format that this importer was validated against. No result file states its own."""
PLAN_BYTES = 16 * 1024 * 1024
TRIALS = 10_000
ATTEMPTS = 10_000
"""Of all trials together."""
RETRIES = 32
"""Attempts of one trial."""
ID_CHARS = 256
ROUND_CHARS = 88
"""What is left of a round id for the plan's: the snapshot writes `native:<it>:<32 hex digits>`."""
DIRECTORY_CHARS = 1024
_FIELDS = (
    "schema",
    "source_revision",
    "round_id",
    "checkpoint",
    "dataset_digest",
    "verifier_digest",
    "runtime_digest",
    "harness_digest",
    "split",
    "settings",
    "trials",
)


@dataclass(frozen=True)
class PlannedAttempt:
    """One execution of a trial, and where the evaluator left what it wrote."""

    retry: int
    """From 0; the greatest supplies the trial's outcome."""
    directory: str
    """Relative to the root, with `/`; checked: no `.`, `..`, empty part, `\\` or NUL."""


@dataclass(frozen=True)
class PlannedTrial:
    task_id: str
    trial_id: str
    """Which repeat of the task, as the plan says."""
    attempts: tuple[PlannedAttempt, ...]
    """By retry; empty: planned, and nothing came of it."""

    @property
    def reported_as(self) -> str:
        """The trial's id in the evaluation round: `task:repeat`, hashed where that is over 128 characters."""
        joined = f"{self.task_id}:{self.trial_id}"
        if len(joined) <= contract.TRIAL_ID_CHARS:
            return joined
        digest = hashlib.sha256(joined.encode()).hexdigest()
        return f"{joined[: contract.TRIAL_ID_CHARS - len(digest) - 1]}:{digest}"


@dataclass(frozen=True)
class Plan:
    """A checked plan. Trials are sorted by task and repeat, their attempts by retry."""

    source_revision: str
    round_id: str
    """The plan's name of the round; the snapshot's identity is made of it and of the content."""
    checkpoint: str
    dataset_digest: str
    verifier_digest: str
    runtime_digest: str
    harness_digest: str
    split: str
    settings: dict[str, Any]
    """Sampling, budgets, tool and retry policy: whatever the evaluator used."""
    trials: tuple[PlannedTrial, ...]

    @property
    def cohort_digest(self) -> str:
        """Of the planned trials alone, sorted: the same whatever was executed, and in whatever order it was written."""
        return strict_json.digest([[trial.task_id, trial.trial_id] for trial in self.trials])

    @property
    def settings_digest(self) -> str:
        """Of runtime, harness and settings together, so that a change of any shows in the protocol."""
        return strict_json.digest(
            {"runtime": self.runtime_digest, "harness": self.harness_digest, "settings": self.settings}
        )

    @property
    def protocol(self) -> dict[str, str]:
        """The fields of `validation.protocol`. The checkpoint is apart, so that checkpoints can be compared."""
        return {
            "dataset_digest": self.dataset_digest,
            "cohort_digest": self.cohort_digest,
            "verifier_digest": self.verifier_digest,
            "settings_digest": self.settings_digest,
            "split": self.split,
            "checkpoint": self.checkpoint,
        }


def read_plan(path: Path) -> Plan:
    """The plan that a file says. Raises `InputRefused`."""
    return parse_plan(strict_json.read(path, PLAN_BYTES), str(path))


def parse_plan(value: object, file: str = "plan") -> Plan:
    """The plan that a JSON value says. `file` names it in refusals. Raises `InputRefused`.

    Unknown fields are refused: a misspelt one would otherwise be a missing one.
    """
    fields = Fields(file, "", value).only(*_FIELDS)
    if fields.values["schema"] != PLAN_SCHEMA:
        raise InputRefused(file, "schema", f"has to be {PLAN_SCHEMA}")
    if fields.values["source_revision"] not in SOURCE_REVISIONS:
        rule = f"has to be {' or '.join(SOURCE_REVISIONS)}: another revision of the format was not validated"
        raise InputRefused(file, "source_revision", rule)
    return Plan(
        source_revision=fields.values["source_revision"],
        round_id=fields.text("round_id", ROUND_CHARS),
        checkpoint=fields.text("checkpoint", contract.PROTOCOL_TEXT_CHARS),
        dataset_digest=fields.digest("dataset_digest"),
        verifier_digest=fields.digest("verifier_digest"),
        runtime_digest=fields.digest("runtime_digest"),
        harness_digest=fields.digest("harness_digest"),
        split=fields.text("split", contract.PROTOCOL_TEXT_CHARS),
        settings=_settings(fields),
        trials=_trials(fields),
    )


def _settings(fields: Fields) -> dict[str, Any]:
    settings = dict(fields.inner("settings").values)
    try:
        strict_json.canonical(settings)
    except (TypeError, ValueError, RecursionError):  # of a plan that a program made
        raise InputRefused(fields.file, "settings", "has to be JSON with finite numbers alone") from None
    return settings


def _trials(fields: Fields) -> tuple[PlannedTrial, ...]:
    listed = fields.list_of("trials")
    if not 1 <= len(listed) <= TRIALS:
        raise InputRefused(fields.file, "trials", f"has {len(listed):,}; 1 to {TRIALS:,} are read")
    found = [_trial(Fields(fields.file, f"trials[{at}]", one)) for at, one in enumerate(listed)]
    if (attempts := sum(len(one.attempts) for one in found)) > ATTEMPTS:
        raise InputRefused(fields.file, "trials", f"has {attempts:,} attempts; at most {ATTEMPTS:,} are read")
    _each_once(fields.file, found)
    return tuple(sorted(found, key=lambda one: (one.task_id, one.trial_id)))


def _trial(fields: Fields) -> PlannedTrial:
    fields.only("task_id", "trial_id", "attempts")
    listed = fields.list_of("attempts")
    if len(listed) > RETRIES:
        raise InputRefused(fields.file, fields.path("attempts"), f"has {len(listed)}; at most {RETRIES} are read")
    attempts = [_attempt(Fields(fields.file, f"{fields.at}.attempts[{at}]", one)) for at, one in enumerate(listed)]
    if len({one.retry for one in attempts}) != len(attempts):
        raise InputRefused(fields.file, fields.path("attempts"), "names a retry twice")
    return PlannedTrial(
        task_id=fields.text("task_id", ID_CHARS),
        trial_id=fields.text("trial_id", ID_CHARS),
        attempts=tuple(sorted(attempts, key=lambda one: one.retry)),
    )


def _attempt(fields: Fields) -> PlannedAttempt:
    fields.only("retry", "directory")
    return PlannedAttempt(retry=fields.count("retry", contract.INT31_MAX), directory=_directory(fields))


def _directory(fields: Fields) -> str:
    value = fields.values["directory"]
    if not isinstance(value, str):
        raise InputRefused(fields.file, fields.path("directory"), f"has to be text, not {kind_of(value)}")
    directory = fields.text("directory", DIRECTORY_CHARS)
    if "\\" in directory or any(part in {"", ".", ".."} for part in directory.split("/")):
        rule = "has to be a relative path beneath the root: no leading or doubled `/`, no `.`, `..` or `\\`"
        raise InputRefused(fields.file, fields.path("directory"), rule)
    return directory


def _each_once(file: str, trials: list[PlannedTrial]) -> None:
    known: dict[str, int] = {}
    directories: dict[str, str] = {}
    for at, trial in enumerate(trials):
        before = known.setdefault(trial.reported_as, at)
        if before != at:
            raise InputRefused(file, f"trials[{at}]", f"is the trial {trial.reported_as!r} of trials[{before}] again")
        for attempt in trial.attempts:
            here = f"trials[{at}], retry {attempt.retry}"
            first = directories.setdefault(attempt.directory, here)
            if first is not here:
                rule = f"is {attempt.directory!r}, which {first} has already: each attempt has a directory of its own"
                raise InputRefused(file, f"trials[{at}].attempts: directory of retry {attempt.retry}", rule)
