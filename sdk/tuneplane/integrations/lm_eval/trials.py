"""The trials of a task, read once from beginning to end; of each only what is reported is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tuneplane import contract
from tuneplane.integrations.lm_eval.names import as_identity
from tuneplane.integrations.lm_eval.records import DocId, Hashes, fingerprint, hashes_of
from tuneplane.integrations.lm_eval.refusals import ResultsRefused
from tuneplane.integrations.lm_eval.results import Task, as_scalar
from tuneplane.integrations.lm_eval.sources import Placed, Source
from tuneplane.integrations.lm_eval.verdict import deciding_metric, verdict

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,4000}", re.ASCII)
"""A whole number as text, written as a number is."""


class Trial(NamedTuple):
    """One document under one filter."""

    status: str
    reason: str | None
    """Why it is unscored; None where it is not."""
    fingerprint: bytes
    hashes: Hashes | None
    place: int
    """Of its record in the source."""


class FilteredTrials:
    """The trials of one filter, by document."""

    def __init__(self, metric: str | None) -> None:
        self.metric = metric
        """Which decides."""
        self.by_document: dict[DocId, Trial] = {}
        self.repeated = 0
        """Records that say again what an earlier one said."""
        self.contradicted = 0
        """Records that say something else of a document than an earlier one: the first stands."""

    def add(self, document: DocId, placed: Placed) -> None:
        status, reason = verdict(self.metric, placed.record)
        trial = Trial(status, reason, fingerprint(placed.record), hashes_of(placed.record), placed.place)
        standing = self.by_document.setdefault(document, trial)
        if standing is trial:
            return
        if standing.fingerprint == trial.fingerprint:
            self.repeated += 1
        else:
            self.contradicted += 1

    def in_order(self) -> list[tuple[DocId, Trial]]:
        """By document, numbers before text."""
        return sorted(self.by_document.items(), key=lambda one: (isinstance(one[0], str), one[0]))

    def counts(self) -> dict[str, int]:
        """How many there are of each status."""
        found = dict.fromkeys(contract.OUTCOME_STATUSES, 0)
        for trial in self.by_document.values():
            found[trial.status] += 1
        return found


def trial_id(task: str, document: DocId) -> str:
    """The same in every evaluation of the task, whatever repeats, filters and models."""
    return as_identity(f"{task}:{document}", contract.TRIAL_ID_CHARS)


def read_trials(task: Task, source: Source, chosen: str | None) -> dict[str, FilteredTrials]:
    """By filter. `chosen` is the metric that decides where a filter has it. Raises ResultsRefused."""
    found: dict[str, FilteredTrials] = {}
    for placed in source.records():
        filter_name = _filter(placed, task, source)
        if filter_name not in found:
            present = {*task.metrics.get(filter_name, ()), *_metrics(placed.record)}
            found[filter_name] = FilteredTrials(deciding_metric(task, present, chosen))
        try:
            document = _document(placed, source)
            _refuse_twin(found[filter_name], document, placed, source)
            found[filter_name].add(document, placed)
        except (RecursionError, TypeError) as problem:
            raise ResultsRefused(source.name, placed.name, f"holds what cannot be told apart: {problem}") from None
    return found


def _refuse_twin(trials: FilteredTrials, document: DocId, placed: Placed, source: Source) -> None:
    """The number 1 and the text "1" would be one trial, of which the server keeps what came first."""
    twin: DocId | None = str(document)
    if isinstance(document, str):
        twin = int(document) if _WHOLE.fullmatch(document) else None
    if twin in trials.by_document:
        rule = f"is {document!r}, and an earlier record has {twin!r}: they cannot be told apart as trials"
        raise ResultsRefused(source.name, f"{placed.name}, doc_id", rule)


def _document(placed: Placed, source: Source) -> DocId:
    document = as_scalar(placed.record.get("doc_id"))
    if isinstance(document, bool) or not isinstance(document, (int, str)):
        raise ResultsRefused(source.name, f"{placed.name}, doc_id", "has to be a number or text")
    return document


def _filter(placed: Placed, task: Task, source: Source) -> str:
    """The record's; the earliest 0.4 wrote none, which is clear where the results have one alone."""
    name = placed.record.get("filter")
    if isinstance(name, str):
        return name
    if name is None and len(task.metrics) == 1:
        return next(iter(task.metrics))
    raise ResultsRefused(source.name, f"{placed.name}, filter", "has to be the name of the filter")


def _metrics(record: Mapping[str, Any]) -> Iterator[str]:
    named = record.get("metrics")
    return (one for one in (named if isinstance(named, (list, tuple)) else ()) if isinstance(one, str))
