"""One server a data folder, in all processes."""

import fcntl
import os
import threading
from pathlib import Path
from typing import ClassVar

from adapters.embedded_postgres.errors import FolderInUse


class Claim:
    """The right to run on a data folder, held until released or until this process ends.

    A record lock, since a forked worker must not keep it when this process is killed. Such a lock does not hold
    against ourselves, hence the list of what this process has claimed; and it is lost when this process opens and
    closes `launcher.lock` anywhere else.
    """

    _held: ClassVar[set[str]] = set()
    _guard = threading.Lock()

    def __init__(self, folder: Path) -> None:
        self._name = os.path.realpath(folder)
        with self._guard:
            if self._name in self._held:
                raise FolderInUse(folder, str(os.getpid()))
            self._descriptor = os.open(folder / "launcher.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                owner = os.pread(self._descriptor, 20, 0).decode("ascii", "replace").strip()
                os.close(self._descriptor)
                raise FolderInUse(folder, owner or "unknown") from None
            self._held.add(self._name)
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, str(os.getpid()).encode(), 0)

    def release(self) -> None:
        with self._guard:
            os.close(self._descriptor)
            self._held.discard(self._name)
