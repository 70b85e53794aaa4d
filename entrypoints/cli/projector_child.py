"""A projector as a child of the server: it dies with its parent, and is started again when it dies."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from types import TracebackType
from typing import Self

_FIRST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 30.0
_STOP_SECONDS = 3.0
_log = logging.getLogger("tuneplane.projector")


class ProjectorChild:
    """Within the context a projector runs. Its standard input is a pipe of ours: when we are gone, it ends."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._stopping = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._keeper = threading.Thread(target=self._keep, name="projector-keeper", daemon=True)

    def __enter__(self) -> Self:
        self._keeper.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._stopping.set()
            child = self._child
        if child is not None:
            _end(child)
        self._keeper.join()

    def _keep(self) -> None:
        pause = _FIRST_PAUSE_SECONDS
        while (child := self._spawned()) is not None:
            code = child.wait()
            _close_pipe(child)
            if self._stopping.is_set():
                return
            _log.error("the projector ended with status %d; starting it again in %.1f s", code, pause)
            self._stopping.wait(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)

    def _spawned(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._stopping.is_set():
                return None
            self._child = subprocess.Popen(
                [sys.executable, "-m", "entrypoints.cli.main", "project", "--until-stdin-ends"],
                stdin=subprocess.PIPE,
                env={**os.environ, "TUNEPLANE_DATABASE_URL": self._dsn},
                start_new_session=True,  # Ctrl-C reaches the server alone, which stops it in order
            )
            return self._child


def _end(child: subprocess.Popen[bytes]) -> None:
    _close_pipe(child)
    try:
        child.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _close_pipe(child: subprocess.Popen[bytes]) -> None:
    if child.stdin is not None:
        child.stdin.close()
