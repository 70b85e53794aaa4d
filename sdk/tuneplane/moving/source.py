"""What a tracker's files hold, in the terms of a TunePlane run: the readers say it, the delivery sends it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Callable, NamedTuple, Union

Scalar = tuple[str, int, float, float]
"""Key, step, seconds since the epoch, value. A plain tuple, because there are millions."""


class SourceRefused(ValueError):
    """A file breaks a rule of its format: which file, where in it, and which rule."""

    def __init__(self, file: object, place: str, rule: str) -> None:
        super().__init__(f"{file}: {place}: {rule}")


class Distribution(NamedTuple):
    """A histogram with the bounds and counts that the source holds."""

    name: str
    step: int
    ts: float
    """Seconds since the epoch."""
    bounds: list[float]
    counts: list[int]
    """One more than bounds."""
    joined_from: int = 0
    """Buckets of the source, where neighbours were joined to keep within the bounds allowed; 0: none were."""


class Configuration(NamedTuple):
    """Hyperparameters; later ones merge over earlier ones."""

    params: Mapping[str, Any]


class Stage(NamedTuple):
    """What the source says of the run's life."""

    event: str
    """As `contract.LIFECYCLE_EVENTS`."""
    ts: float | None
    """Seconds since the epoch; None where the source does not say when."""


class Final(NamedTuple):
    """A result that has no step."""

    key: str
    value: bool | int | float | str


class LeftOut(NamedTuple):
    """Something that has no place here: counted, and said in the table at the end."""

    kind: str
    times: int = 1


class Unread(NamedTuple):
    """What could not be read, or breaks a rule of ours: said on its own line, and the command fails at its end."""

    reason: str
    times: int = 1


class Waiting(NamedTuple):
    """The end of a file is not written to its end: no fault, it is read once it is complete."""

    reason: str


Item = Union[Scalar, Distribution, Configuration, Stage, Final, LeftOut, Unread, Waiting]


@dataclass(frozen=True)
class Part:
    """One execution of the run: a process that wrote, and that a restart followed with another."""

    identity: str
    """What makes it the same part when it is imported again."""
    items: Callable[[], Iterator[Item]]
    """Reads it from its beginning, in the order it was written: what is appended later comes last."""


@dataclass(frozen=True)
class SourceRun:
    """One run of the source. Its identity makes it the same run here whenever it is imported."""

    tracker: str
    """`tensorboard`, `wandb`, `mlflow`, `trackio`."""
    identity: str
    name: str
    parts: Sequence[Part]
    """From the first execution on."""
    tags: Sequence[str] = ()
    notes: str = ""
    said: Sequence[str] = field(default=())
    """Lines for the notes: what the source says of itself."""


class RefusedRun(NamedTuple):
    """What would be a run, and cannot be read as one."""

    name: str
    reason: str
    """Which file, where in it, which rule."""


Found = Union[SourceRun, RefusedRun]
