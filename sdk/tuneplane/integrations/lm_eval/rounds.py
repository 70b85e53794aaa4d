"""Rounds as they will be reported: one for each task and filter of an evaluation.

A round's name ends in a hash of everything that is declared and reported of it, so that the same results are the same
round however often they are imported, and changed results are another one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from tuneplane import contract, observations
from tuneplane.integrations.lm_eval.evidence import Evidence, evidence
from tuneplane.integrations.lm_eval.names import as_identity
from tuneplane.integrations.lm_eval.records import fingerprint
from tuneplane.integrations.lm_eval.refusals import ResultsRefused
from tuneplane.integrations.lm_eval.results import Evaluation, Task
from tuneplane.integrations.lm_eval.sources import Source
from tuneplane.integrations.lm_eval.text import trajectory
from tuneplane.integrations.lm_eval.trials import FilteredTrials, read_trials, trial_id
from tuneplane.integrations.lm_eval.verdict import DECIDING
from tuneplane.retention import retained, spread

PREFIX = "lm-eval"
_DIGITS = 16


class Choices(NamedTuple):
    """What the caller says beside the results."""

    prefix: str = PREFIX
    """How the names of rounds begin."""
    checkpoint: str | None = None
    """An immutable reference to the weights; None is what the harness reports."""
    metric: str | None = None
    """Decides where a filter has it; None is the first of `exact_match`, `acc`, `acc_norm`."""
    text_cap: int | None = None
    """Of how many trials a round keeps text; None is the rule, 0 is none."""


class Round(NamedTuple):
    """One task under one filter."""

    round_id: str
    task: Task
    filter_name: str
    began: str | None
    trials: FilteredTrials
    source: Source | None
    """None where the harness kept no records: then there are aggregates alone."""
    evidence: Evidence
    metrics: list[tuple[str, float, str]]
    """Key, value and unit of each aggregate."""
    keeps_text_of: int
    """Trials."""

    @property
    def expected(self) -> int | None:
        return self.task.effective

    def events(self) -> Iterator[dict[str, Any]]:
        """What is declared first, then every trial."""
        if self.expected is not None:
            yield observations.population(self.round_id, self.expected, ts=self.began)
        if self.evidence.fields is not None:
            yield observations.protocol(self.round_id, ts=self.began, **self.evidence.fields)
        for key, value, unit in self.metrics:
            yield observations.validation_metric(self.round_id, key, value, unit, ts=self.began)
        for document, trial in self.trials.in_order():
            yield observations.outcome(
                self.round_id,
                trial_id(self.task.name, document),
                status=trial.status,
                training_eligible=False,
                trial_attempt=0,
                ts=self.began,
            )
            if trial.reason is not None:
                name, reason = trial_id(self.task.name, document), as_identity(trial.reason, contract.POLICY_CHARS)
                yield observations.trial_reason(self.round_id, name, 0, reason, ts=self.began)

    def trajectories(self) -> Iterator[dict[str, Any]]:
        """The text of the trials that keep theirs, read anew. Raises ResultsRefused."""
        if self.source is None or not self.keeps_text_of:
            return
        known = self.trials.in_order()
        sampled = self.keeps_text_of < max(self.expected or 0, len(known))
        chosen = [known[at] for at in spread(len(known), self.keeps_text_of)]
        placed = self.source.at([trial.place for _, trial in chosen])
        for (document, trial), one in zip(chosen, placed):
            if fingerprint(one.record) != trial.fingerprint:
                raise ResultsRefused(self.source.name, one.name, "changed while it was imported")
            reason = trial.reason
            ended = {} if reason is None else {"termination": as_identity(reason, contract.POLICY_CHARS)}
            yield {
                "scope": "validation",
                "round_id": self.round_id,
                "trial_id": trial_id(self.task.name, document),
                "trial_attempt": 0,
                **trajectory(one.record, self.filter_name, sampled=sampled),
                **ended,
            }


def rounds_of(run: Evaluation, task: Task, source: Source | None, choices: Choices) -> list[Round]:
    """In the order of the filters' names. Raises ResultsRefused."""
    found = read_trials(task, source, choices.metric) if source is not None else {}
    names = sorted({*found, *task.metrics})
    try:
        return [_round(run, task, name, found.get(name), source, choices) for name in names]
    except (RecursionError, TypeError) as problem:
        raise ResultsRefused(run.file, f"configs.{task.name}", f"holds what has no digest: {problem}") from None


def _round(
    run: Evaluation, task: Task, name: str, found: FilteredTrials | None, source: Source | None, choices: Choices
) -> Round:
    trials = FilteredTrials(None) if found is None else found
    if source is None:
        known = Evidence(None, "there are no records of its trials (lm_eval --log_samples)")
    else:
        known = evidence(run, task, name, trials, torn=source.torn(), checkpoint=choices.checkpoint)
    metrics = _metrics(task, name)
    declared = [run.began, task.name, name, task.effective, trials.metric, known.fields, metrics]
    hashed = hashlib.sha256(json.dumps(declared, sort_keys=True).encode())
    for document, trial in trials.in_order():
        hashed.update(f"{document!r} {trial.status} ".encode("utf-8", "backslashreplace") + trial.fingerprint)
    ending = f":{hashed.hexdigest()[:_DIGITS]}"
    return Round(
        round_id=as_identity(f"{choices.prefix}:{task.name}:{name}", contract.ROUND_ID_CHARS - len(ending)) + ending,
        task=task,
        filter_name=name,
        began=run.began,
        trials=trials,
        source=source,
        evidence=known,
        metrics=metrics,
        keeps_text_of=retained(len(trials.by_document), _cap(task, trials, choices)),
    )


def _cap(task: Task, trials: FilteredTrials, choices: Choices) -> int | None:
    """The cohort is what was planned, also where fewer records are there."""
    if choices.text_cap is not None:
        return choices.text_cap
    return retained(max(task.effective or 0, len(trials.by_document)), None)


def _metrics(task: Task, name: str) -> list[tuple[str, float, str]]:
    """Only what is known to be a fraction is called a ratio."""
    return [
        (
            as_identity(metric, contract.ROUND_ID_CHARS),
            value,
            "ratio" if metric in DECIDING and 0 <= value <= 1 else "native",
        )
        for metric, value in sorted(task.metrics.get(name, {}).items())
    ]
