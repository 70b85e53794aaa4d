"""Bodies as files in one folder: written aside, flushed to disk, then moved to their name."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from application.ports.object_store import StoredObject
from domain.errors import TryAgain

_KEY = re.compile(r"\A[a-z0-9_.-]+(?:/[a-z0-9_.-]+)*\Z")
_UNFINISHED = ".unfinished"
_DIGEST = re.compile(r"\A[0-9a-f]{64}\Z")
_PIECE_BYTES = 64 * 1024


@contextlib.contextmanager
def asking_again() -> Iterator[None]:
    """Inside, a disk that is full or away becomes `TryAgain`; the detail names no path."""
    try:
        yield
    except OSError as error:
        raise TryAgain(f"Bodies cannot be stored or read right now ({error.strerror}). Repeat it later.") from error


class FilesystemObjectStore:
    """See `application/ports/object_store.py`. Two processes may share the folder."""

    def __init__(self, root: Path) -> None:
        """`root` is made, private, when something is first stored."""
        self._root = root

    def put(self, key: str, body: bytes, sha256: str) -> None:
        with asking_again():
            incoming = self.incoming(key)
            try:
                incoming.write(body)
                incoming.finish(sha256, replace=True)
            finally:
                incoming.abandon()

    def incoming(self, key: str) -> IncomingFile:
        """A body that comes in pieces; it counts only once it is finished."""
        target = self._path(key)
        with asking_again():
            self._root.parent.mkdir(parents=True, exist_ok=True)
            _make_folder(target.parent, self._root)
            _make_folder(self._root / _UNFINISHED, self._root)
        return IncomingFile(self._root / _UNFINISHED / secrets.token_hex(16), target)

    def get(self, key: str) -> bytes | None:
        with asking_again():
            try:
                return self._path(key).read_bytes()
            except FileNotFoundError:
                return None

    def read(self, key: str) -> Iterator[bytes] | None:
        with asking_again():
            try:
                return _pieces(self._path(key).open("rb"))
            except FileNotFoundError:
                return None

    def delete(self, key: str) -> None:
        with asking_again():
            self._path(key).unlink(missing_ok=True)

    def stat(self, key: str) -> StoredObject | None:
        with asking_again():
            try:
                found = self._path(key).stat()
            except FileNotFoundError:
                return None
        return StoredObject(key, found.st_size, found.st_mtime, _digest_named(key.rpartition("/")[2]))

    def keys(self, prefix: str) -> Iterator[StoredObject]:
        yield from self._under(self._root, "", prefix)

    def tidy(self, before: float) -> int:
        removed = 0
        with asking_again(), contextlib.suppress(FileNotFoundError):
            for entry in os.scandir(self._root / _UNFINISHED):
                with contextlib.suppress(FileNotFoundError):
                    if entry.stat().st_mtime < before:
                        Path(entry.path).unlink()
                        removed += 1
        return removed

    def _under(self, folder: Path, parent: str, prefix: str) -> Iterator[StoredObject]:
        with asking_again():
            try:
                entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in os.scandir(folder)]
            except FileNotFoundError:
                return
        for name, is_folder in entries:
            key = parent + name
            if key == _UNFINISHED:
                continue
            if is_folder and (prefix.startswith(f"{key}/") or key.startswith(prefix) or f"{key}/" == prefix):
                yield from self._under(folder / name, f"{key}/", prefix)
            elif not is_folder and key.startswith(prefix):
                found = self.stat(key)
                if found is not None:
                    yield found

    def _path(self, key: str) -> Path:
        if not _KEY.match(key) or ".." in key.split("/") or "." in key.split("/"):
            raise ValueError("a key of the object store is made by the server")
        return self._root / key


def _digest_named(name: str) -> str | None:
    """The digest that a file's name is, if it is one: no other body ever gets such a name (`IncomingFile.finish`)."""
    return name if _DIGEST.match(name) else None


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while True:
            with asking_again():
                piece = file.read(_PIECE_BYTES)
            if not piece:
                return
            yield piece


class IncomingFile:
    """A body on its way to its name. Not for several threads at once."""

    def __init__(self, aside: Path, target: Path) -> None:
        self._aside = aside
        self._target = target
        self._digest = hashlib.sha256()
        self.size_bytes = 0
        with asking_again():
            self._file = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        self._open = True

    def write(self, piece: bytes) -> None:
        """Appends a piece."""
        self._digest.update(piece)
        self.size_bytes += len(piece)
        view = memoryview(piece)
        with asking_again():
            while view:
                view = view[os.write(self._file, view) :]

    def matches(self, size_bytes: int, sha256: str) -> bool:
        """Whether it is, so far, exactly this body."""
        return self.size_bytes == size_bytes and self._digest.hexdigest() == sha256

    def finish(self, sha256: str, *, replace: bool = False) -> bool:
        """Gives the body its name, durably. False where the name is taken and may not be replaced.

        Raises ValueError where the body is not the one with this digest, or its name is another digest.
        """
        if self._digest.hexdigest() != sha256 or (_digest_named(self._target.name) or sha256) != sha256:
            raise ValueError("the body is not the one with this digest")
        with asking_again():
            os.fsync(self._file)
            self._close()
            if replace:
                self._aside.replace(self._target)
            else:
                try:
                    os.link(self._aside, self._target)
                except FileExistsError:
                    return False
            _flush_folder(self._target.parent)
        return True

    def abandon(self) -> None:
        """Removes what is not finished. May be repeated, and after `finish` too."""
        self._close()
        with contextlib.suppress(OSError):
            self._aside.unlink(missing_ok=True)

    def _close(self) -> None:
        if self._open:
            self._open = False
            os.close(self._file)


def _make_folder(folder: Path, root: Path) -> None:
    """Makes `folder`, and what is missing above it up to `root`: private, and durably in the folder above."""
    if folder.is_dir():
        return
    if folder != root:
        _make_folder(folder.parent, root)
    folder.mkdir(mode=0o700, exist_ok=True)
    _flush_folder(folder.parent)


def _flush_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
