"""What verl writes without being asked for code: its file logger's lines, and its dumps of generations.

Metrics: `{"step": n, "data": {name: number}}` a line. Generations: `<step>.jsonl` with
`{"input", "output", "gts", "score", "step", …}` a line. Neither says when it was, nor which policy generated it.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Callable

from tuneplane.clipping import clipped
from tuneplane.contract import EVENT_TEXT_CHARS, POINTS_PER_BATCH
from tuneplane.flatten import DEEPEST, as_step
from tuneplane.integrations.json_lines import Line
from tuneplane.integrations.json_numbers import NotANumber, number_of, point
from tuneplane.integrations.rollouts import Rollout, exchange
from tuneplane.integrations.validation_samples import sample
from tuneplane.observations import observation
from tuneplane.series_keys import SeriesKeys
from tuneplane.single_keys import parsed

NO_NUMBER = "verl.no_number"
"""Name of the observation of metrics whose value is null."""
STEP_FIELDS = ("step", "global_step", "_step", "iteration")
_DATA = "data"
_DUMP = re.compile(r"\A(\d{1,18})\.jsonl\Z", re.ASCII)
_SAID = frozenset(("input", "output", "score", "step"))
Series = list[dict[str, Any]]


class LineRefused(ValueError):
    """A line breaks a rule of its format: which file, line and field, and which rule."""

    def __init__(self, path: Path, line: Line, field: str, rule: str) -> None:
        super().__init__(f"{path}: line {line.number}: {field}: {rule}")


class MetricsFile:
    """From lines to series of one point each. `left_out` counts what is no number, by its kind."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._keys = SeriesKeys()
        self._nulls: list[str] = []
        self.left_out: Counter[str] = Counter()
        self.invalid = 0
        """NaN and infinities."""

    def series(self, line: Line, refuse: Callable[[str], None]) -> list[Series]:
        """What a line says, in as many requests as the limits ask for: the same line gives the same ones.

        `refuse` is told of each name that cannot be a series. Raises LineRefused.
        """
        found = _document(self._path, line)
        step = _step(self._path, line, found)
        self._nulls = []
        data = found.get(_DATA, {})
        if not isinstance(data, Mapping):
            raise LineRefused(self._path, line, _DATA, "has to be an object of names and numbers")
        beside = {key: one for key, one in found.items() if key != _DATA and key not in STEP_FIELDS}
        values = {**beside, **data}
        numbers: dict[str, float] = {}
        for key, value in self._numbers(values, "", DEEPEST):
            if key in numbers:
                refuse(f"{self._path}: line {line.number}: {key!r:.200} comes twice; the later one is kept")
            if self._keys.size_bytes(key):
                numbers[key] = value
            else:
                refuse(f"{self._path}: line {line.number}: {self._keys.why_not(key)}")
        made = [point(key, step, value) for key, value in numbers.items()]
        self.invalid += sum(not math.isfinite(value) for value in numbers.values())
        return [made[at : at + POINTS_PER_BATCH] for at in range(0, len(made), POINTS_PER_BATCH)]

    def nulls(self, line: Line) -> dict[str, Any] | None:
        """An observation of the names that the line just read gives as null; None where there are none.

        The file logger writes null for NaN and for both infinities, so which of them it was stays unknown.
        """
        if not self._nulls:
            return None
        names = ", ".join(self._nulls).encode("utf-8", "replace").decode()
        values = {"names": clipped(names, EVENT_TEXT_CHARS), "count": len(self._nulls)}
        event_id = f"{NO_NUMBER}:{hashlib.sha256(line.text).hexdigest()}"
        step = _step(self._path, line, _document(self._path, line))
        return observation(NO_NUMBER, values=values, step=step, event_id=event_id)

    def _numbers(self, values: Mapping[str, Any], above: str, levels: int) -> Iterator[tuple[str, float]]:
        for name, value in values.items():
            key = f"{above}{name}"
            if isinstance(value, Mapping):
                if levels:
                    yield from self._numbers(value, f"{key}.", levels - 1)
                else:
                    self.left_out["nested too deep"] += 1
                continue
            try:
                yield key, number_of(value)
            except NotANumber as problem:
                self.left_out[str(problem)] += 1
                if value is None:
                    self._nulls.append(key)


def dumps(folder: Path) -> list[tuple[int, Path]]:
    """The dumps of generations in a directory, by step. Raises OSError."""
    named = [(_DUMP.match(path.name), path) for path in folder.iterdir()]
    return sorted((int(match[1]), path) for match, path in named if match)


def rollout(path: Path, line: Line, row: int) -> Rollout:
    """A line of `rollout_data_dir`. Raises LineRefused."""
    found = _generation(path, line)
    messages, _ = exchange(found["input"], found["output"])
    return Rollout(row, messages, _score(found), roles_inferred=True)


def validation_sample(path: Path, line: Line, row: int) -> dict[str, Any]:
    """A line of `validation_data_dir`. A score is a reward: nothing in the line says that it is a verdict.

    Raises LineRefused.
    """
    found = _generation(path, line)
    extra = {name: value for name, value in found.items() if name not in _SAID}
    return sample(row, user=found["input"], assistant=found["output"], reward=_score(found), extra=extra)


def _generation(path: Path, line: Line) -> dict[str, Any]:
    found = _document(path, line)
    for field in ("input", "output"):
        if not isinstance(found.get(field), str):
            raise LineRefused(path, line, field, "has to be text")
    return found


def _score(found: Mapping[str, Any]) -> float | None:
    try:
        return number_of(found.get("score"))
    except NotANumber:
        return None


def _document(path: Path, line: Line) -> dict[str, Any]:
    try:
        found = parsed(line.text)
    except ValueError as problem:
        raise LineRefused(path, line, "the line", f"is no JSON: {problem}") from None
    if not isinstance(found, dict):
        raise LineRefused(path, line, "the line", "has to be an object")
    return found


def _step(path: Path, line: Line, found: Mapping[str, Any]) -> int:
    for field in STEP_FIELDS:
        if field in found:
            try:
                return as_step(found[field])
            except (TypeError, ValueError, OverflowError) as problem:
                raise LineRefused(path, line, field, str(problem)) from None
    raise LineRefused(path, line, "step", f"is missing; a step is read from {', '.join(STEP_FIELDS)}")
