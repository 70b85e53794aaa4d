"""What a round may declare of how it was made, from the harness's own hashes and settings.

The harness's `task_hashes` are not used: they change with the limit and the number of filters. Nobody certifies the
digests; they say that two evaluations were asked the same. Where a part is missing there is no protocol at all.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from tuneplane import contract
from tuneplane.foreign import Foreign
from tuneplane.integrations.lm_eval.names import as_identity
from tuneplane.integrations.lm_eval.records import as_plain
from tuneplane.integrations.lm_eval.results import Evaluation, Task, model_arguments
from tuneplane.integrations.lm_eval.trials import FilteredTrials, trial_id

_SCORING = ("metric_list", "process_results", "doc_to_target", "doc_to_choice", "output_type", "should_decontaminate")
_ASKING = ("generation_kwargs", "repeats", "num_fewshot", "description", "fewshot_config", "use_prompt")
_CALLED_WITH = ("model", "gen_kwargs", "random_seed", "numpy_seed", "torch_seed", "fewshot_seed", "model_dtype")
_WEIGHTS = frozenset((
    "pretrained", "peft", "delta", "model", "path", "engine", "revision", "subfolder", "tokenizer", "base_url",
    "api_key", "token",
))  # fmt: skip
"""Model arguments that say which model answers, or where, not how it is asked."""


class Evidence(NamedTuple):
    """Either the fields of the protocol, or why there is none."""

    fields: dict[str, str] | None
    gap: str | None


def evidence(
    run: Evaluation, task: Task, filter_name: str, trials: FilteredTrials, *, torn: bool, checkpoint: str | None
) -> Evidence:
    """`checkpoint` is what the caller knows; else the model and the revision that the harness reports."""
    gap = _gap(run, task, trials, torn=torn)
    split = task.config.get("test_split") or task.config.get("validation_split")
    if gap is None and not (isinstance(split, str) and split.strip()):
        gap = "the task's configuration names no split"
    if gap is not None:
        return Evidence(None, gap)
    rows = [(document, trial.hashes) for document, trial in trials.in_order() if trial.hashes]
    reported = f"{run.model}@{run.revision}" if run.revision else f"{run.model} (revision not reported)"
    fields = {
        "dataset_digest": _digest([task.name, [(doc, found[0].hex(), found[2].hex()) for doc, found in rows]]),
        "cohort_digest": _digest([trial_id(task.name, doc) for doc, _ in rows]),
        "verifier_digest": _digest([task.name, task.version, run.harness, trials.metric, _scoring(task, filter_name)]),
        "settings_digest": _digest([[found[1].hex() for _, found in rows], _settings(run, task)]),
        "split": as_identity(str(split), contract.PROTOCOL_TEXT_CHARS),
        "checkpoint": as_identity(checkpoint or reported, contract.PROTOCOL_TEXT_CHARS),
    }
    return Evidence(fields, None)


def _gap(run: Evaluation, task: Task, trials: FilteredTrials, *, torn: bool) -> str | None:
    """The first thing that is missing; None where nothing is."""
    known = len(trials.by_document)
    unhashed = sum(trial.hashes is None for trial in trials.by_document.values())
    gaps = (
        (torn, "the last line of the samples file is cut off"),
        (trials.contradicted, f"{trials.contradicted} records contradict an earlier one of the same document"),
        (
            task.effective is None or known != task.effective,
            f"there are records of {known:,} documents, and {_planned(task)} were evaluated",
        ),
        (not known, "no documents were evaluated"),
        (unhashed, f"{unhashed:,} records have no doc_hash, prompt_hash and target_hash"),
        (task.version is None, "the task has no version"),
        (run.harness is None, "the harness reports neither its version nor a revision"),
    )
    return next((text for missing, text in gaps if missing), None)


def _planned(task: Task) -> str:
    return "an unknown number" if task.effective is None else f"{task.effective:,}"


def _scoring(task: Task, filter_name: str) -> Foreign:
    filters = task.config.get("filter_list")
    named = [one for one in filters if isinstance(one, Mapping)] if isinstance(filters, list) else []
    own = [one for one in named if one.get("name") == filter_name]
    return [filter_name, own, _some(task.config, _SCORING)]


def _settings(run: Evaluation, task: Task) -> Foreign:
    """Chat template, system instruction and examples are in the hashes of the prompts."""
    given = model_arguments(run.config)
    how = {str(key): str(value) for key, value in given.items() if key not in _WEIGHTS}
    return [how, _some(run.config, _CALLED_WITH), run.max_length, _some(task.config, _ASKING)]


def _some(whole: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """What is set; the harness itself leaves out or writes null."""
    return {name: whole[name] for name in names if whole.get(name) is not None}


def _digest(content: Foreign) -> str:
    text = json.dumps(content, sort_keys=True, default=as_plain, skipkeys=True)
    return hashlib.sha256(text.encode()).hexdigest()
