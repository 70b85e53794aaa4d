"""`python -m tuneplane.integrations.hf_trainer`: brings the log that a Hugging Face trainer keeps into a job.

`trainer_state.json` holds everything the trainer logged up to a checkpoint, without times. The names are those that
`TunePlaneCallback` reports.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from tuneplane.destination import NoDestination
from tuneplane.flatten import as_step
from tuneplane.foreign import Foreign
from tuneplane.hyperparameters import flat_parameters
from tuneplane.integrations.delivering import Delivering
from tuneplane.integrations.file_command import ALL, BROKEN_OFF, NOTHING_DONE, SOME_REFUSED, destination, options
from tuneplane.integrations.json_numbers import NotANumber, number_of, point
from tuneplane.reporter import ReporterError
from tuneplane.series_keys import SeriesKeys
from tuneplane.single_keys import parsed
from tuneplane.terminal import tell, tell_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME = "trainer_state.json"
_ABOUT = f"""Brings the log of a Hugging Face trainer into a job: {_NAME} of an output directory or of its
checkpoints, of which the one with the greatest step holds the log of all before it."""
_SETTINGS = (
    "max_steps",
    "num_train_epochs",
    "train_batch_size",
    "logging_steps",
    "eval_steps",
    "save_steps",
)
_LARGEST_BYTES = 256 * 1024 * 1024


class StateRefused(ValueError):
    """A trainer's state breaks a rule of its format: which file, which field, which rule."""

    def __init__(self, path: Path, field: str, rule: str) -> None:
        super().__init__(f"{path}: {field}: {rule}")


class TrainerState(NamedTuple):
    path: Path
    step: int
    """Of the last optimizer step."""
    settings: dict[str, Any]
    log_history: list[Any]


def newest(place: Path) -> TrainerState:
    """The state with the greatest step of a file or directory. Raises StateRefused, OSError."""
    paths = [place] if place.is_file() else [*place.glob(_NAME), *sorted(place.glob(f"checkpoint-*/{_NAME}"))]
    if not paths:
        raise StateRefused(place, _NAME, "is neither here nor in a checkpoint-* directory")
    return max(map(_state, paths), key=lambda state: (state.step, len(state.log_history)))


def _state(path: Path) -> TrainerState:
    if path.stat().st_size > _LARGEST_BYTES:
        raise StateRefused(path, "the file", f"is larger than {_LARGEST_BYTES} bytes")
    try:
        found = parsed(path.read_bytes())
    except ValueError as problem:
        raise StateRefused(path, "the file", f"is no JSON: {problem}") from None
    if not isinstance(found, dict) or not isinstance(found.get("log_history"), list):
        raise StateRefused(path, "log_history", "has to be a list: this is no trainer's state")
    try:
        step = as_step(found.get("global_step"))
    except (TypeError, ValueError, OverflowError) as problem:
        raise StateRefused(path, "global_step", str(problem)) from None
    settings = {name: found[name] for name in _SETTINGS if isinstance(found.get(name), (int, float))}
    return TrainerState(path, step, flat_parameters(settings), found["log_history"])


class LogHistory:
    """The log of a state. `left_out` counts what is no number, by its kind."""

    def __init__(self, state: TrainerState, refuse: Callable[[str], None]) -> None:
        """`refuse` is told of each entry that has no step, and of each name that cannot be a series."""
        self._state = state
        self._refuse = refuse
        self._keys = SeriesKeys()
        self.left_out: Counter[str] = Counter()

    def series(self) -> Iterator[list[dict[str, Any]]]:
        """Series of one point each, for each entry in its order: the same entry gives the same ones."""
        for at, entry in enumerate(self._state.log_history):
            place = f"log_history[{at}]"
            try:
                yield list(self._points(place, entry))
            except StateRefused as problem:
                self._refuse(str(problem))

    def _points(self, place: str, entry: Foreign) -> Iterator[dict[str, Any]]:
        if not isinstance(entry, Mapping):
            raise StateRefused(self._state.path, place, "has to be an object")
        try:
            step = as_step(entry.get("step"))
        except (TypeError, ValueError, OverflowError) as problem:
            raise StateRefused(self._state.path, f"{place}.step", str(problem)) from None
        for key, value in entry.items():
            if key == "step":
                continue
            try:
                number = number_of(value)
            except NotANumber as problem:
                self.left_out[str(problem)] += 1
                continue
            if self._keys.size_bytes(key):
                yield point(key, step, number)
            else:
                self._refuse(f"{self._state.path}: {place}: {self._keys.why_not(key)}")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = options("hf_trainer", _ABOUT)
    made.add_argument("place", type=Path, metavar="DIR|FILE", help=f"the output directory, or a {_NAME}")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    given = parser().parse_args(arguments)
    try:
        state = newest(given.place)
        with destination(given, "hf-trainer") as (reporter, page):
            delivering = Delivering("hf-trainer", reporter)
            if page:
                delivering.say(page)
            _bring(state, delivering)
    except (StateRefused, NoDestination, OSError) as problem:
        tell(f"hf-trainer: {problem}")
        return NOTHING_DONE
    except ReporterError as problem:
        tell(f"hf-trainer: {problem}; what was sent stands")
        return BROKEN_OFF
    tell_lines(sys.stdout, [f"{state.path} (step {state.step}): {delivering.summary()}"])
    return SOME_REFUSED if delivering.refused else ALL


def _bring(state: TrainerState, delivering: Delivering) -> None:
    if state.settings:
        delivering.hparams(state.settings)
    log = LogHistory(state, delivering.refuse)
    for series in log.series():
        if series:
            delivering.series(series)
            delivering.counts["not finite"] += sum("invalid" in one for one in series)
    for kind, count in log.left_out.items():
        delivering.counts[f"left out: {kind}"] = count


if __name__ == "__main__":
    sys.exit(main())
