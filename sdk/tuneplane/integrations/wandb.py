"""`python -m tuneplane.integrations.wandb DIR`: the runs that wandb wrote to disk become runs.

A run id is a run; each directory of it (`offline-run-<time>-<id>` or `run-<time>-<id>`), in order of time, is an
execution attempt, since resuming makes another directory. Everything is read from `run-<id>.wandb`: history, config,
summary, exit.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Callable, NamedTuple

from tuneplane.moving import command
from tuneplane.moving.files import folder, refused, unreadable, walked
from tuneplane.moving.protobuf import Torn
from tuneplane.moving.source import Found, Item, Part, RefusedRun, SourceRefused, SourceRun, Unread, Waiting
from tuneplane.moving.wandb_log import LARGEST_BYTES, LogRecords
from tuneplane.moving.wandb_records import Header, RecordReader, run_of
from tuneplane.times import said_times

if TYPE_CHECKING:
    from collections.abc import Sequence

TRACKER = "wandb"
_SUFFIX = ".wandb"
_RECORDS_BEFORE_RUN = 100


class _LogFile(NamedTuple):
    folder: str
    """Begins with the time of its start."""
    path: Path
    header: Header


def runs(root: Path, tell: Callable[[str], None]) -> Iterator[Found]:
    """The runs below a directory, in order of their ids. Raises SourceRefused."""
    found: dict[tuple[str, str, str], list[_LogFile]] = {}
    any_file = False
    unread: list[SourceRefused] = []
    for place, names in walked(folder(root), tell, unread.append):
        for name in names:
            if not (name.startswith("run-") and name.endswith(_SUFFIX)):
                continue
            any_file = True
            path = place / name
            try:
                said = _header(path)
            except SourceRefused as problem:
                yield RefusedRun(path.relative_to(root).as_posix(), str(problem))
                continue
            if said is None:
                tell(f"{path}: no run in it yet")
            else:
                key = (said.entity, said.project, said.run_id)
                found.setdefault(key, []).append(_LogFile(place.name, path, said))
    yield from refused(root, unread)
    if not any_file:
        tell(f"{root}: no files run-*{_SUFFIX}")
    for _, files in sorted(found.items(), key=lambda one: one[0]):
        yield _run(sorted(files, key=lambda one: _time_of(one.folder)))


def _time_of(name: str) -> tuple[str, str]:
    """`20261202_045238` of `offline-run-20261202_045238-abc`; then the name, so that the order is stable."""
    return name.removeprefix("offline-").removeprefix("run-"), name


def _run(files: list[_LogFile]) -> SourceRun:
    first = files[0].header
    identity = f"{first.entity}/{first.project}/{first.run_id}"
    said = [f"W&B run {identity.lstrip('/')}"]
    said += [f"{word}: {value}" for word, value in (("host", first.host), ("group", first.group)) if value]
    said += said_times(first.started)
    return SourceRun(
        TRACKER,
        identity,
        first.name or first.run_id,
        [Part(one.folder, partial(items, one.path)) for one in files],
        tags=[*first.tags, *([first.job_type] if first.job_type else [])],
        notes=first.notes,
        said=said,
    )


def items(path: Path) -> Iterator[Item]:
    """What one transaction log says, in the order it was written."""
    records, reader = LogRecords(path), RecordReader()
    for number, record in enumerate(records):
        try:
            yield from reader.items(record)
        except Torn as problem:
            yield Unread(f"{path.name}: record {number + 1}: {problem}")
    yield from reader.finals()
    if records.too_large:
        yield Unread(f"{path.name}: a record of over {LARGEST_BYTES} bytes", records.too_large)
    if records.fault:
        yield Unread(f"{path.name}: {records.fault}: nothing from there on is read")
    elif records.waiting:
        yield Waiting(f"{path.name}: the last {records.waiting} bytes are a record that is not complete yet")


def _header(path: Path) -> Header | None:
    """Who the run of this file is; None where it is not written yet. Raises SourceRefused."""
    records = LogRecords(path)
    try:
        for number, record in enumerate(records):
            found = run_of(record)
            if found is not None:
                return found
            if number == _RECORDS_BEFORE_RUN:
                break
    except Torn as problem:
        raise SourceRefused(path, "its first records", str(problem)) from None
    except OSError as problem:
        raise unreadable(problem) from None
    if records.fault:
        raise SourceRefused(path, *records.fault.split(": ", 1))
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    return command.main("wandb", runs, arguments)


if __name__ == "__main__":
    sys.exit(main())
