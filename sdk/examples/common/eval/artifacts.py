"""Files beneath one folder, opened so that no link and no `..` leads out of it, however the folder changes meanwhile.

Every part of a path is opened relative to the part before it and is never a symbolic link (`O_NOFOLLOW`); a file is
read only where it is an ordinary one, and never beyond a limit. Source: SPEC "Traversal, symlinks … are rejected".
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from common.eval.refused import InputRefused

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Without blocking: a named pipe would otherwise hold us up before we see what it is."""
_PIECE = 1 << 20


class Root:
    """The folder that attempts are read from. The path to it is the person's own and may hold links."""

    def __init__(self, path: Path) -> None:
        """Raises `InputRefused` where there is no such folder."""
        self.path = path
        try:
            self._root = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as problem:
            raise InputRefused(str(path), "", f"cannot be opened as a folder: {problem.strerror}") from None
        self._seen: dict[tuple[int, int], str] = {}

    def __enter__(self) -> Root:  # noqa: PYI034 - Self came after 3.9
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._root)

    @contextlib.contextmanager
    def attempt(self, directory: str) -> Iterator[Attempt | None]:
        """The folder of one attempt; None where there is none.

        Raises `InputRefused` for links and files in its place, and for a folder that an earlier attempt had under
        another name.
        """
        folder = _descend(self._root, directory, str(self.path / directory))
        if folder is None:
            yield None
            return
        try:
            told = os.fstat(folder)
            first = self._seen.setdefault((told.st_dev, told.st_ino), directory)
            if first != directory:
                raise InputRefused(str(self.path / directory), "", f"is the folder {first!r} under another name")
            yield Attempt(self, folder, directory)
        finally:
            os.close(folder)


class Attempt:
    """The open folder of one attempt."""

    def __init__(self, root: Root, folder: int, directory: str) -> None:
        self._root = root
        self._folder = folder
        self.directory = directory

    def shown(self, name: str) -> str:
        """The file's path, for a person."""
        return str(self._root.path / self.directory / name)

    def holds(self, name: str) -> bool:
        """Whether something is there under this name; `name` may have folders."""
        try:
            os.stat(name, dir_fd=self._folder, follow_symlinks=False)
        except OSError:
            return False
        return True

    def read(self, name: str, limit: int) -> bytes | None:
        """The whole of an ordinary file; None where it, or a folder before it, is not there.

        Raises `InputRefused` for anything but an ordinary file, for more than `limit` bytes, and for a file that was
        written to meanwhile.
        """
        folders, _, last = name.rpartition("/")
        folder = _descend(self._folder, folders, self.shown(name))
        if folder is None:
            return None
        try:
            return _read(folder, last, self.shown(name), limit)
        finally:
            os.close(folder)


def _read(folder: int, name: str, shown: str, limit: int) -> bytes | None:
    try:
        file = os.open(name, _FILE, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise InputRefused(shown, "", _why(problem, name, "file")) from None
    try:
        return _whole(file, shown, limit)
    finally:
        os.close(file)


def _descend(start: int, path: str, shown: str) -> int | None:
    """A descriptor of the folder `path` below `start`, for the caller to close; None where it is not there."""
    folder = os.dup(start)
    for part in path.split("/") if path else ():
        try:
            inner = os.open(part, _FOLDER, dir_fd=folder)
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise InputRefused(shown, "", _why(problem, part, "folder")) from None
        finally:
            os.close(folder)
        folder = inner
    return folder


def _whole(file: int, shown: str, limit: int) -> bytes:
    before = os.fstat(file)
    if not stat.S_ISREG(before.st_mode):
        raise InputRefused(shown, "", "is no ordinary file")
    pieces: list[bytes] = []
    size = 0
    while piece := os.read(file, min(_PIECE, limit + 1 - size)):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise InputRefused(shown, "", f"is larger than {limit:,} bytes")
    after = os.fstat(file)
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) or size != after.st_size:
        raise InputRefused(shown, "", "was written to while it was read: let the evaluator finish first")
    return b"".join(pieces)


def _why(problem: OSError, part: str, wanted: str) -> str:
    if problem.errno in {errno.ELOOP, errno.EMLINK}:
        return f"{part!r} is a symbolic link, and links are not followed"
    if problem.errno == errno.ENOTDIR:
        return f"{part!r} is a symbolic link or no folder"
    return f"{part!r} cannot be opened as a {wanted}: {problem.strerror}"
