"""MLflow's file store: `<root>/<experiment>/<run>/` with meta.yaml, metrics/, params/ and tags/, a file a name."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Callable

from tuneplane.moving.files import folders, is_link, is_regular, open_file, small_text, walked
from tuneplane.moving.flat_yaml import flat_yaml
from tuneplane.moving.mlflow_run import MlflowRun, seconds, source_run
from tuneplane.moving.source import Found, Item, RefusedRun, SourceRefused, Unread, Waiting

_META = "meta.yaml"
_TRASH = ".trash"
_PARTS = ("metrics", "params")
"""Folders that only a run has."""
_TEXT_BYTES = 1024 * 1024
_LINE_BYTES = 4096


def runs(root: Path, tell: Callable[[str], None]) -> Iterator[Found]:
    """The runs of a store, by experiment and id. Raises SourceRefused."""
    for experiment in folders(root, tell):
        if experiment.name == _TRASH:
            tell(f"{experiment}: deleted experiments, not imported")
            continue
        try:
            below = folders(experiment, tell)
            if not is_regular(experiment / _META) and not any(map(_is_run, below)):
                continue
            said = flat_yaml(experiment / _META)
        except SourceRefused as problem:
            yield RefusedRun(experiment.name, str(problem))
            continue
        if said.get("lifecycle_stage") == "deleted":
            tell(f"{experiment}: a deleted experiment, not imported")
            continue
        for folder in filter(_is_run, below):
            yield from _run(folder, said.get("name") or experiment.name, tell)


def is_store(place: Path) -> bool:
    """Whether a directory holds experiments. Raises SourceRefused where it cannot be read."""
    return place.is_dir() and any(
        is_regular(one / _META) or any(map(_is_run, folders(one, _untold))) for one in folders(place, _untold)
    )


def _untold(line: str) -> None:
    """What is said of a folder is said when it is imported."""


def _is_run(folder: Path) -> bool:
    """An experiment's folder holds other things, too."""
    return is_regular(folder / _META) or any((folder / part).is_dir() for part in _PARTS)


def _run(folder: Path, experiment: str, tell: Callable[[str], None]) -> Iterator[Found]:
    try:
        said = flat_yaml(folder / _META)
        run_id = said.get("run_id") or said.get("run_uuid")
        if not run_id:
            return
        if said.get("lifecycle_stage") == "deleted":
            tell(f"{folder}: a deleted run, not imported")
            return
        yield source_run(
            MlflowRun(
                run_id=run_id,
                name=said.get("run_name") or "",
                experiment=experiment,
                status=said.get("status") or "",
                started=seconds(said.get("start_time")),
                ended=seconds(said.get("end_time")),
                params=_texts(folder / "params", tell),
                tags=_texts(folder / "tags", tell),
                points=partial(_points, folder / "metrics", tell),
            )
        )
    except SourceRefused as problem:
        yield RefusedRun(folder.name, str(problem))


def _texts(folder: Path, tell: Callable[[str], None]) -> dict[str, str]:
    """A value for each file; its path is the name."""
    return {name: small_text(path, _TEXT_BYTES) for name, path in _files(folder, tell)}


def _files(folder: Path, tell: Callable[[str], None]) -> Iterator[tuple[str, Path]]:
    if is_link(folder):
        raise SourceRefused(folder, "the folder", "is a symbolic link, and links are not followed")
    if not folder.is_dir():
        return
    for place, names in walked(folder, tell, _raised):
        for name in names:
            yield (place / name).relative_to(folder).as_posix(), place / name


def _points(folder: Path, tell: Callable[[str], None]) -> Iterator[Item]:
    """All metrics in order of time, so that what is logged later comes last: each has a file of its own.

    They are sorted in a temporary database, which keeps to the disk what is large.
    """
    with _sorting(folder) as sorting:
        sorting.execute(
            "CREATE TABLE points (ts INTEGER, key TEXT, line INTEGER, value REAL, step INTEGER, special TEXT)"
        )
        for key, path in _files(folder, tell):
            other: list[Item] = []
            sorting.executemany("INSERT INTO points VALUES (?, ?, ?, ?, ?, ?)", _lines(key, path, other))
            yield from other
        for key, step, ts, value, special in sorting.execute(
            "SELECT key, step, ts, value, special FROM points ORDER BY ts, key, line"
        ):
            yield key, step, ts / 1000, float(special) if value is None else value


@contextmanager
def _sorting(folder: Path) -> Iterator[sqlite3.Connection]:
    """A temporary database. Raises SourceRefused for what goes wrong with it."""
    try:
        with closing(sqlite3.connect("")) as connection:
            yield connection
    except sqlite3.Error as problem:
        rule = f"its points could not be sorted on disk: {problem}; make room where temporary files go (SQLITE_TMPDIR)"
        raise SourceRefused(folder, "the folder", rule) from None


def _raised(problem: SourceRefused) -> None:
    raise problem


def _lines(key: str, path: Path, other: list[Item]) -> Iterator[tuple[int, str, int, float | None, int, str]]:
    """`timestamp value step`, milliseconds and any number; old files lack the step, newer ones add columns."""
    with open_file(path) as file:
        for number, line in enumerate(iter(partial(file.readline, _LINE_BYTES), b""), 1):
            words, end = line.split(), line
            while len(end) == _LINE_BYTES and not end.endswith(b"\n"):
                words, end = [], file.readline(_LINE_BYTES)  # too long to be one of ours
            if not end.endswith(b"\n"):
                other.append(Waiting(f"metrics/{key}: line {number} is not complete yet"))
                return
            try:
                value, step = float(words[1]), int(words[2]) if len(words) > 2 else 0  # noqa: PLR2004 - as described
                if not -(2**63) <= step < 2**63 or not -(2**63) <= int(words[0]) < 2**63:
                    raise ValueError  # noqa: TRY301 - as a word that is no number
            except (ValueError, IndexError):
                other.append(Unread(f"metrics/{key}: line {number}: has to be `timestamp value step`"))
                continue
            # SQLite keeps no NaN.
            yield int(words[0]), key, number, None if value != value else value, step, words[1].decode()  # noqa: PLR0124 - NaN
