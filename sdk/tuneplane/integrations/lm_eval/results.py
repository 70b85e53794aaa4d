"""What a results file, or `simple_evaluate`, says of an evaluation as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tuneplane import contract
from tuneplane.flatten import finite
from tuneplane.foreign import Foreign
from tuneplane.integrations.lm_eval.files import open_regular
from tuneplane.integrations.lm_eval.refusals import ResultsRefused
from tuneplane.redaction import redacted
from tuneplane.single_keys import parsed
from tuneplane.times import iso_or_none

RESULTS_BYTES = 32 * 1024 * 1024
_NAMING_THE_MODEL = ("peft", "delta", "pretrained", "model", "path", "engine")
"""Model arguments that name the weights, in the harness's own order."""


class Task(NamedTuple):
    """One task, without its groups."""

    name: str
    version: str | None
    effective: int | None
    """Documents evaluated, after any limit; None where the file does not say."""
    metrics: dict[str, dict[str, float]]
    """By filter, then by name, `acc` as well as `acc_stderr`; finite numbers alone."""
    config: Mapping[str, Any]
    lower_is_better: frozenset[str]


class Evaluation(NamedTuple):
    """One run of the harness."""

    file: str
    began: str | None
    """ISO-8601 in UTC."""
    harness: str | None
    """Its version or revision."""
    model: str
    revision: str | None
    config: Mapping[str, Any]
    """How it was called."""
    max_length: Foreign
    """Of the model's context, as the harness has it."""
    tasks: dict[str, Task]
    scores: list[dict[str, Any]]
    """`{benchmark, metric, value}` of every row, groups included once."""
    no_numbers: list[str]
    """Aggregates that are no finite numbers, `task metric,filter`."""


def read_results(path: Path) -> Evaluation:
    """Raises ResultsRefused."""
    with open_regular(path) as file:
        content = file.read(RESULTS_BYTES + 1)
    if len(content) > RESULTS_BYTES:
        raise ResultsRefused(str(path), "file", f"is larger than {RESULTS_BYTES:,} bytes")
    try:
        document = parsed(content)
    except ValueError as problem:
        raise ResultsRefused(str(path), "file", f"is no JSON in UTF-8: {problem}") from None
    return evaluation(document, str(path))


def evaluation(document: Foreign, file: str) -> Evaluation:
    """What `document` says; `file` is how refusals call it. Raises ResultsRefused."""
    if not isinstance(document, Mapping):
        raise ResultsRefused(file, "file", "has to be a JSON object")
    rows = _objects(document, "results", file)
    if not rows:
        raise ResultsRefused(file, "results", "has to be an object with a row for each task")
    _refuse_old(rows, file)
    groups = _objects(document, "groups", file)
    scores: list[dict[str, Any]] = []
    left_out: list[str] = []
    by_filter = {name: _aggregates(name, row, scores, left_out) for name, row in {**groups, **rows}.items()}
    parents = {name for name, children in _mapping(document, "group_subtasks").items() if children} | set(groups)
    config = _mapping(document, "config")
    return Evaluation(
        file=file,
        began=iso_or_none(as_finite(document.get("date"))),
        harness=_text(document.get("lm_eval_version")) or _text(document.get("git_hash")),
        model=_model(document, config),
        revision=_text(config.get("model_sha")),
        config=config,
        max_length=document.get("max_length"),
        tasks={name: _task(name, document, by_filter[name], file) for name in rows if name not in parents},
        scores=scores,
        no_numbers=left_out,
    )


def as_finite(value: Foreign) -> float | None:
    """A finite number, of numpy too; None for everything else. Booleans are none."""
    return finite(as_scalar(value))


def as_scalar(value: Foreign) -> Foreign:
    """What a scalar of numpy holds; everything else as it is."""
    return value.item() if hasattr(value, "item") and getattr(value, "size", None) == 1 else value


def model_arguments(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the model was made with, by name; given as a mapping, or as `name=value,name=value`."""
    given = config.get("model_args")
    if isinstance(given, str):
        return dict(part.partition("=")[::2] for part in given.split(",") if part)
    return given if isinstance(given, Mapping) else {}


def _refuse_old(rows: Mapping[str, Mapping[str, Any]], file: str) -> None:
    """Before 0.4 the keys were `acc`; since then they are `acc,none`."""
    if any("," in key for row in rows.values() for key in row):
        return
    for task, row in rows.items():
        for key, value in row.items():
            if as_finite(value) is not None and key not in {"sample_len", "sample_count", "samples"}:
                rule = (
                    "a metric without its filter is the format before lm_eval 0.4, which has neither population nor "
                    "records; evaluate again with 0.4 or later"
                )
                raise ResultsRefused(file, f"results.{task}.{key}", rule)
    raise ResultsRefused(file, "results", "has no metric with its filter (`acc,none`) in any row")


def _aggregates(
    task: str, row: Mapping[str, Any], scores: list[dict[str, Any]], left_out: list[str]
) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for key, value in row.items():
        metric, comma, filter_name = key.partition(",")
        if not comma:
            continue
        of_filter = found.setdefault(filter_name, {})
        number = as_finite(value)
        if number is not None:
            of_filter[metric] = number
            if not metric.endswith("_stderr"):
                scores.append({"benchmark": task, "metric": key, "value": number})
        elif value != "N/A":
            left_out.append(f"{task} {key}")
    return found


def _task(name: str, document: Mapping[str, Any], metrics: dict[str, dict[str, float]], file: str) -> Task:
    better = _mapping(document, "higher_is_better").get(name)
    lower = {key for key, higher in better.items() if higher is False} if isinstance(better, Mapping) else set()
    config = _mapping(document, "configs").get(name)
    return Task(
        name=name,
        version=_version(_mapping(document, "versions").get(name)),
        effective=_effective(name, document, file),
        metrics=metrics,
        config=config if isinstance(config, Mapping) else {},
        lower_is_better=frozenset(lower),
    )


def _effective(name: str, document: Mapping[str, Any], file: str) -> int | None:
    counts = _mapping(document, "n-samples").get(name)
    if not isinstance(counts, Mapping) or counts.get("effective") is None:
        return None
    effective = counts["effective"]
    if not isinstance(effective, int) or isinstance(effective, bool) or not 0 <= effective <= contract.INT31_MAX:
        rule = f"has to be a whole number from 0 to {contract.INT31_MAX}"
        raise ResultsRefused(file, f"n-samples.{name}.effective", rule)
    return effective


def _model(document: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """As the harness derives it; where no argument names one, its kind: the harness's own name is random then."""
    named = model_arguments(config)
    for key in _NAMING_THE_MODEL:
        if named.get(key):
            return redacted(str(named[key]))
    return redacted(_text(config.get("model")) or _text(document.get("model_name")) or "unknown")


def _objects(document: Mapping[str, Any], key: str, file: str) -> dict[str, Mapping[str, Any]]:
    rows = document.get(key) or {}
    if not isinstance(rows, Mapping) or not all(isinstance(row, Mapping) for row in rows.values()):
        raise ResultsRefused(file, key, "has to be an object with an object for each task")
    return dict(rows)


def _mapping(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = document.get(key)
    return found if isinstance(found, Mapping) else {}


def _version(value: Foreign) -> str | None:
    """None where the harness says that there is none."""
    return None if value in (None, "", "N/A", "Yaml") else str(value)


def _text(value: Foreign) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
