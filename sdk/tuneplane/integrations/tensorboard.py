"""`python -m tuneplane.integrations.tensorboard DIR`: a TensorBoard log directory becomes runs.

Every directory that holds event files is a run, as TensorBoard shows it; every event file of it, in the order they were
begun, is an execution attempt, since a restart begins another file.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Callable, NamedTuple

from tuneplane.moving import command
from tuneplane.moving.files import folder, refused, unreadable, walked
from tuneplane.moving.protobuf import Torn
from tuneplane.moving.source import (
    Found,
    Item,
    LeftOut,
    Part,
    RefusedRun,
    SourceRefused,
    SourceRun,
    Stage,
    Unread,
    Waiting,
)
from tuneplane.moving.tensorboard_events import EventReader, first_event
from tuneplane.moving.tfrecord import LARGEST_BYTES, Records
from tuneplane.times import said_times

if TYPE_CHECKING:
    from collections.abc import Sequence

TRACKER = "tensorboard"
_MARK = "tfevents"
_EMPTY_PROFILE = ".profile-empty"


class _EventFile(NamedTuple):
    began: float
    name: str
    path: Path
    identity: str
    """Its name, and a digest of name and first record: the same wherever the file lies."""


def runs(root: Path, tell: Callable[[str], None]) -> Iterator[Found]:
    """The runs of a log directory, in the order of their paths. Raises SourceRefused."""
    found = False
    unread: list[SourceRefused] = []
    for place, names in walked(folder(root), tell, unread.append):
        files = []
        for name in filter(is_event_file, names):
            found = True
            try:
                files += _event_file(place / name, tell)
            except SourceRefused as problem:
                yield RefusedRun((place / name).relative_to(root).as_posix(), str(problem))
        if files:
            yield _run(root, place, sorted(files))
    yield from refused(root, unread)
    if not found:
        tell(f"{root}: no event files (their names hold {_MARK!r})")


def _run(root: Path, place: Path, files: list[_EventFile]) -> SourceRun:
    relative = place.relative_to(root).as_posix()
    name = root.resolve().name if relative == "." else relative
    parts = [Part(one.identity, partial(items, one.path)) for one in files]
    said = [f"TensorBoard run {name!r}, event files: {', '.join(one.name for one in files[:20])}"]
    said += said_times(files[0].began)
    return SourceRun(TRACKER, files[0].identity, name, parts, said=said)


def is_event_file(name: str) -> bool:
    return _MARK in name and not name.endswith(_EMPTY_PROFILE)


def items(path: Path) -> Iterator[Item]:
    """What an event file says, in the order it was written."""
    records, reader = Records(path), EventReader()
    began: Stage | None = None
    for record in records:
        try:
            for item in reader.items(record):
                if not isinstance(item, Stage):
                    yield item
                elif item.event == "running":
                    began = item
                else:
                    yield from (item,) if began is None else (began, item)
                    began = None
        except Torn as problem:
            yield Unread(f"{path.name}: the record that ends at byte {records.offset}: {problem}")
    if began is not None:
        # Nobody would say that it ended: a beginning alone would show it as running for ever.
        yield LeftOut("session start without an end")
    if records.too_large:
        yield Unread(f"{path.name}: a record of over {LARGEST_BYTES} bytes", records.too_large)
    if records.fault:
        left = path.stat().st_size - records.offset
        yield Unread(f"{path.name}: {records.fault}: it and the {left} bytes from there on are not read")
    elif records.waiting:
        yield Waiting(f"{path.name}: the last {records.waiting} bytes are a record that is not complete yet")


def _event_file(path: Path, tell: Callable[[str], None]) -> list[_EventFile]:
    """The file; nothing where not even its first record is written yet. Raises SourceRefused."""
    records = Records(path)
    try:
        first = next(iter(records), None)
        if first is None and not records.fault:
            tell(f"{path}: nothing complete in it yet")
            return []
        if first is None:
            raise SourceRefused(path, *records.fault.split(": ", 1))
        began, _ = first_event(first)
    except Torn as problem:
        raise SourceRefused(path, "the first record", str(problem)) from None
    except OSError as problem:
        raise unreadable(problem) from None
    digest = hashlib.sha256(path.name.encode("utf-8", "surrogatepass") + b"\0" + first).hexdigest()[:32]
    return [_EventFile(began, path.name, path, f"{path.name[-400:]} {digest}")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    return command.main("tensorboard", runs, arguments)


if __name__ == "__main__":
    sys.exit(main())
