"""A run as MLflow keeps it, whichever store it comes from, in the terms of a run here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Callable

from tuneplane.moving.source import Configuration, Item, Part, SourceRun, Stage
from tuneplane.redaction import kept
from tuneplane.times import said_times

TRACKER = "mlflow"
_OWN = "mlflow."
_NOTE, _NAME = "mlflow.note.content", "mlflow.runName"
_STAGES = {
    "RUNNING": ("running", None),
    "SCHEDULED": ("starting", None),
    "FINISHED": ("running", "succeeded"),
    "FAILED": ("running", "failed"),
    "KILLED": ("running", "failed"),
}
_NUMBERS = {"1": "RUNNING", "2": "SCHEDULED", "3": "FINISHED", "4": "FAILED", "5": "KILLED"}
"""As the file store writes them."""


@dataclass(frozen=True)
class MlflowRun:
    run_id: str
    name: str
    experiment: str
    status: str
    """A word or, from the file store, its number."""
    started: float | None
    """Seconds since the epoch, as the next one."""
    ended: float | None
    params: Mapping[str, str]
    tags: Mapping[str, str]
    points: Callable[[], Iterator[Item]]
    """In the order they were logged."""


def source_run(found: MlflowRun) -> SourceRun:
    """One part: MLflow does not say which process logged a point."""
    status = _NUMBERS.get(found.status, found.status)
    own = {name: value for name, value in found.tags.items() if name.startswith(_OWN)}
    said = [f"MLflow run {found.run_id} of experiment {found.experiment!r}, status {status}"]
    said += said_times(found.started, found.ended)
    said += [f"{name}: {kept(name, value)}" for name, value in sorted(own.items()) if name not in (_NOTE, _NAME)]
    return SourceRun(
        TRACKER,
        found.run_id,
        found.name or own.get(_NAME) or found.run_id,
        [Part(found.run_id, lambda: _items(found, status))],
        tags=[
            found.experiment,
            *(f"{name}={kept(name, value)}" for name, value in sorted(found.tags.items()) if name not in own),
        ],
        notes=own.get(_NOTE, ""),
        said=said,
    )


def _items(found: MlflowRun, status: str) -> Iterator[Item]:
    if found.params:
        yield Configuration({name: number_or_text(value) for name, value in found.params.items()})
    began, ended = _STAGES.get(status, (None, None))
    if began:
        yield Stage(began, found.started)
    yield from found.points()
    if ended:
        yield Stage(ended, found.ended)


def number_or_text(text: str) -> int | float | str:
    """MLflow keeps every parameter as text: a number that is written as Python writes it is that number."""
    for kind in (int, float):
        try:
            number: int | float = kind(text)
        except ValueError:
            continue
        if str(number) == text and number - number == 0:
            return number
    return text


def seconds(milliseconds: object) -> float | None:
    """MLflow's times; None where there is none."""
    try:
        found = int(str(milliseconds)) if milliseconds is not None else 0
    except ValueError:
        return None
    return found / 1000 if found else None
