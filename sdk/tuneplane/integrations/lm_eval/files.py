"""Which files belong together: a results file, and the samples file of each of its tasks.

lm_eval writes `results_<time>.json`, or `<name>_<time>.json` where its output path ends in `.json`, and beside it
`samples_<task>_<time>.jsonl`. Links are not followed and only regular files are read.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from tuneplane.integrations.lm_eval.refusals import ResultsRefused

_TIME = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?"
_RESULTS = re.compile(rf"(?P<prefix>.*?)results(?:_(?P<time>{_TIME}))?.*\.json", re.DOTALL)
_STAMPED = re.compile(rf".*_(?P<time>{_TIME})\.json", re.DOTALL)
_SAMPLES = re.compile(rf"(?P<prefix>.*?)samples_(?P<task>.+)_(?P<time>{_TIME})\.jsonl", re.DOTALL)
_BEGINNING = re.compile(rb'\s*\{\s*"results"\s*:')
_BEGINNING_BYTES = 256


class ResultFiles(NamedTuple):
    """What one evaluation wrote."""

    results: Path
    samples: dict[str, Path]
    """By task, as the file's name has it; a task without a file was evaluated without `--log_samples`."""


class Found(NamedTuple):
    """What there is to import, and what was refused by its place or name."""

    evaluations: list[ResultFiles]
    """The oldest first, as far as the names tell."""
    refused: list[ResultsRefused]


def open_regular(path: Path) -> BinaryIO:
    """The file itself, never what a link points to and never a pipe. Raises ResultsRefused."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        opened = os.open(path, flags)
    except (OSError, ValueError) as problem:
        if path.is_symlink():
            raise ResultsRefused(str(path), "file", "is a link; name the file that it points to") from None
        raise ResultsRefused(str(path), "file", f"cannot be read: {getattr(problem, 'strerror', problem)}") from None
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise ResultsRefused(str(path), "file", "is no regular file")
    return os.fdopen(opened, "rb")


def find(place: Path) -> Found:
    """Every evaluation at `place`: a results file, or a folder that is searched with all below it."""
    if place.is_dir():
        found = Found([], [])
        for folder, names in _folders(place, found.refused):
            _collect(folder, names, found)
        if not (found.evaluations or found.refused):
            rule = "holds no results of lm_eval (results_<time>.json); was it run with --output_path?"
            found.refused.append(ResultsRefused(str(place), "folder", rule))
        return Found(
            sorted(found.evaluations, key=lambda one: (_time(one.results.name) or "", one.results)), found.refused
        )
    if _SAMPLES.fullmatch(place.name):
        raise ResultsRefused(
            str(place), "file", "holds records alone; name their folder, or the results file beside it"
        )
    with open_regular(place):
        names = sorted(one.name for one in place.parent.iterdir())
    samples = _samples_of(place.name, names, [place.name])
    return Found([ResultFiles(place, _in(place.parent, samples))], [])


def _folders(top: Path, refused: list[ResultsRefused]) -> Iterator[tuple[Path, list[str]]]:
    def unreadable(problem: OSError) -> None:
        refused.append(ResultsRefused(str(problem.filename), "folder", f"cannot be read: {problem.strerror}"))

    for folder, below, names in os.walk(top, followlinks=False, onerror=unreadable):
        below.sort()
        yield Path(folder), sorted(names)


def _collect(folder: Path, names: list[str], found: Found) -> None:
    results = [name for name in names if _is_results(folder, name)]
    used: set[str] = set()
    for name in results:
        try:
            samples = _samples_of(name, names, results)
            with open_regular(folder / name):
                pass
        except ResultsRefused as refusal:
            found.refused.append(ResultsRefused(str(folder / name), refusal.field, refusal.rule))
            used.update(_meant_by(name, names))  # one reason is enough
            continue
        used.update(samples.values())
        found.evaluations.append(ResultFiles(folder / name, _in(folder, samples)))
    for name in names:
        if _SAMPLES.fullmatch(name) and name not in used:
            rule = "has no results file of the same time beside it, which says how many were planned"
            found.refused.append(ResultsRefused(str(folder / name), "file", rule))


def _meant_by(name: str, names: list[str]) -> Iterator[str]:
    """Samples files that may belong to these results."""
    time = _time(name)
    for one in map(_SAMPLES.fullmatch, names):
        if one and time in {None, one["time"]}:
            yield one.string


def _is_results(folder: Path, name: str) -> bool:
    """By its name, else by how every version of lm_eval begins the file."""
    if not name.endswith(".json"):
        return False
    named = _RESULTS.fullmatch(name)
    if named and named["time"]:
        return True
    try:
        with open_regular(folder / name) as file:
            return _BEGINNING.match(file.read(_BEGINNING_BYTES)) is not None
    except ResultsRefused:
        return False


def _samples_of(name: str, names: list[str], results: list[str]) -> dict[str, str]:
    """Task and file name. Where the results carry no time, what is alone with the same beginning of the name."""
    time = _time(name)
    samples = [found for found in map(_SAMPLES.fullmatch, names) if found]
    if time is None:
        prefix = _prefix(name)
        claimed = {_time(other) for other in results}
        samples = [one for one in samples if one["prefix"] == prefix and one["time"] not in claimed]
        rivals = [other for other in results if _time(other) is None and _prefix(other) == prefix]
        if samples and (len({one["time"] for one in samples}) > 1 or len(rivals) > 1):
            raise ResultsRefused(name, "file", "carries no time, and which samples files are its own cannot be told")
    else:
        samples = [one for one in samples if one["time"] == time]
    tasks = [one["task"] for one in samples]
    for task in tasks:
        if tasks.count(task) > 1:
            raise ResultsRefused(name, f"samples of {task}", "there are two files of them with the same time")
    return {one["task"]: one.string for one in samples}


def _time(name: str) -> str | None:
    found = _STAMPED.fullmatch(name)
    return found["time"] if found else None


def _prefix(name: str) -> str:
    found = _RESULTS.fullmatch(name)
    return found["prefix"] if found else ""


def _in(folder: Path, samples: dict[str, str]) -> dict[str, Path]:
    return {task: folder / name for task, name in samples.items()}
