"""Files of a source directory, in a stable order; symbolic links are counted and not followed."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Callable

from tuneplane.moving.source import RefusedRun, SourceRefused


def folder(path: Path) -> Path:
    """`path`, which has to be a directory. Raises SourceRefused."""
    if not path.is_dir():
        raise SourceRefused(path, "no directory", "the directory of the source has to be named")
    return path


def walked(
    root: Path, tell: Callable[[str], None], unread: Callable[[SourceRefused], None]
) -> Iterator[tuple[Path, list[str]]]:
    """Each directory from `root` down, with the names of its regular files; says what else was passed over.

    `unread` is called for each directory that cannot be read.
    """
    links = others = 0
    for here, folders, names in os.walk(root, onerror=lambda problem: unread(unreadable(problem))):
        place = Path(here)
        linked = {name for name in [*folders, *names] if is_link(place / name)}
        regular = sorted(name for name in names if is_regular(place / name))
        folders[:] = sorted(name for name in folders if name not in linked)
        links += len(linked)
        others += len(set(names) - linked) - len(regular)
        yield place, regular
    if links:
        tell(f"{root}: {links} symbolic links are not followed")
    if others:
        tell(f"{root}: {others} pipes, devices or unreachable files are not read")


def folders(place: Path, tell: Callable[[str], None]) -> list[Path]:
    """The directories in one, sorted; says which links were passed over. Raises SourceRefused."""
    try:
        found = sorted(place.iterdir())
    except OSError as problem:
        raise unreadable(problem) from None
    links = sum(map(is_link, found))
    if links:
        tell(f"{place}: {links} symbolic links are not followed")
    return [one for one in found if not is_link(one) and one.is_dir()]


def unreadable(problem: OSError) -> SourceRefused:
    """What the system says of a file that cannot be read."""
    return SourceRefused(problem.filename, "the file", problem.strerror or str(problem))


def fingerprint(source: Path) -> set[tuple[str, int, int]]:
    """Path, size and time of change of each file: equal where nothing was written in between."""
    found = set()
    for here, _, names in os.walk(source):
        for name in names:
            with contextlib.suppress(OSError):
                state = os.lstat(os.path.join(here, name))  # noqa: PTH118 - thousands of them
                found.add((f"{here}/{name}", state.st_size, state.st_mtime_ns))
    if source.is_file():
        state = source.stat()
        found.add((str(source), state.st_size, state.st_mtime_ns))
    return found


def refused(root: Path, unread: Iterable[SourceRefused]) -> Iterator[RefusedRun]:
    """Directories that cannot be read, as runs that cannot."""
    return (RefusedRun(str(root), str(problem)) for problem in unread)


def is_regular(path: Path) -> bool:
    """Whether it is a file, and no link to one."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def is_link(path: Path) -> bool:
    try:
        return stat.S_ISLNK(path.lstat().st_mode)
    except OSError:
        return False


def open_file(path: Path, read_ahead: int = -1) -> BinaryIO:
    """The file itself, never what a link points to. `read_ahead` is in bytes; -1: as usual. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    return os.fdopen(descriptor, "rb", buffering=read_ahead)


def small_text(path: Path, most_bytes: int) -> str:
    """The text of a small file. Raises SourceRefused for a large one, a link, or what is no UTF-8."""
    if not is_regular(path):
        raise SourceRefused(path, "the file", "has to be there, and no symbolic link")
    try:
        with open_file(path) as file:
            content = file.read(most_bytes + 1)
    except OSError as problem:
        raise unreadable(problem) from None
    if len(content) > most_bytes:
        raise SourceRefused(path, f"byte {most_bytes}", f"at most {most_bytes} bytes are read")
    try:
        return content.decode()
    except UnicodeDecodeError as problem:
        raise SourceRefused(path, f"byte {problem.start}", "has to be UTF-8") from None
