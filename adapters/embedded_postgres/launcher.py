"""Starts, watches and stops a private PostgreSQL in a folder."""

import logging
import os
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from adapters.embedded_postgres.account import account_for
from adapters.embedded_postgres.binaries import programs_for
from adapters.embedded_postgres.claim import Claim
from adapters.embedded_postgres.cluster import make_cluster, refuse_foreign, server_arguments
from adapters.embedded_postgres.errors import DidNotStart
from adapters.embedded_postgres.postmaster import Postmaster, clear_remains, read_pid_file, running_postmaster
from adapters.embedded_postgres.server_log import ServerLog
from adapters.embedded_postgres.session import conninfo, make_database, takes_sessions
from adapters.embedded_postgres.socket_folder import SOCKET_NAME, discard_home, reachable_home
from adapters.embedded_postgres.watcher import Watcher

START_ATTEMPTS = 4

START_SECONDS = 600.0
"""Long enough to replay the largest log that the settings allow, on a slow disk."""

ANSWER_SECONDS = 30.0
"""How long a server that was left running may keep us waiting."""

log = logging.getLogger(__name__)


def conninfo_of_running(data: Path) -> str | None:
    """How to reach the server that runs on this data folder, from any process; `None` when none runs."""
    postmaster = running_postmaster(data / "pgdata")
    return conninfo(postmaster.socket_folder) if postmaster else None


class EmbeddedPostgres:
    """A PostgreSQL of our own in `data`: no TCP, a private socket, started again when it is killed.

    When this process is killed the database goes on; the next start on the same folder takes it over.
    """

    def __init__(self, data: Path, *, durable: bool = True) -> None:
        """`data` is made, private, when absent; a folder that is there already keeps its owner and its rights.

        Not `durable` is for tests only: what was committed may be lost with a crash of the machine.
        """
        self._data = Path(os.path.abspath(data))  # noqa: PTH100 - resolve() would follow links, absolute() keeps ".."
        self._cluster = self._data / "pgdata"
        self._durable = durable
        self._log = ServerLog(self._data)
        self._watcher: Watcher | None = None

    def start(self) -> str:
        """Start the server, or take over the one left running here, and return the conninfo of its database.

        The conninfo stays right until `stop`, across restarts. Raises `EmbeddedPostgresUnavailable`.
        """
        self._account = account_for(self._cluster)
        self._account.make_folder(self._data)
        began = time.monotonic()
        with ExitStack() as undo:
            self._claim = Claim(self._data)
            undo.callback(self._claim.release)
            refuse_foreign(self._cluster)
            postmaster = self._taken_over() or self._started()
            undo.callback(postmaster.stop)
            make_database(self._socket_folder)
            self._watcher = Watcher(postmaster, self._spawn)
            undo.pop_all()
        log.info("PostgreSQL (process %d) is ready after %.1f s", postmaster.pid, time.monotonic() - began)
        return self.conninfo

    def stop(self) -> None:
        """Stop the server in good order; sessions are ended, not waited for. May be repeated."""
        watcher, self._watcher = self._watcher, None
        if watcher is None:
            return
        watcher.stop()
        discard_home(self._home, self._data, self._account)
        self._claim.release()

    @property
    def conninfo(self) -> str:
        """How to reach the database; what `start` returned."""
        return conninfo(self._socket_folder)

    @property
    def pid(self) -> int:
        """The main process at this moment; another one after each restart."""
        if self._watcher is None:
            message = "the database is not started"
            raise RuntimeError(message)
        return self._watcher.postmaster.pid

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _taken_over(self) -> Postmaster | None:
        """The server that an earlier launcher left running here, when it still answers."""
        postmaster = running_postmaster(self._cluster)
        if postmaster is None:
            return None
        self._settle(postmaster.socket_folder.parent)
        if (postmaster.socket_folder / SOCKET_NAME).exists() and takes_sessions(postmaster, ANSWER_SECONDS):
            log.info("taking over PostgreSQL (process %d), left running by a server that was killed", postmaster.pid)
            return postmaster
        log.warning("PostgreSQL (process %d) runs here but does not answer: stopping it", postmaster.pid)
        postmaster.stop()
        return None

    def _started(self) -> Postmaster:
        """A new server. What a killed one left is cleared first, and it may take a moment to let go."""
        left = read_pid_file(self._cluster)
        if left is not None:
            discard_home(left.socket_folder.parent, self._data, self._account)
        self._settle(reachable_home(self._data, self._account))
        if not self._cluster.exists():
            make_cluster(self._cluster, self._programs, self._account, durable=self._durable)
        with ExitStack() as undo:
            undo.callback(discard_home, self._home, self._data, self._account)
            for attempt in range(START_ATTEMPTS):
                time.sleep(0.2 * attempt)
                postmaster = self._spawn()
                undo.callback(postmaster.stop)
                if takes_sessions(postmaster, START_SECONDS):
                    undo.pop_all()
                    return postmaster
                if not postmaster.wait(0):
                    break
            raise DidNotStart(f"Starting PostgreSQL in {self._cluster}", self._log.last_words())

    def _settle(self, home: Path) -> None:
        """Use `home` for the socket and, where the account cannot read the installed programs, for their copy."""
        self._home = home
        self._socket_folder = home / "run"
        self._account.make_folder(self._socket_folder)
        self._programs = programs_for(self._account, home)

    def _spawn(self) -> Postmaster:
        clear_remains(self._cluster, self._socket_folder)
        output = self._log.open()
        try:
            with self._account.handed(self._cluster) as (folder, descriptors):
                command = [str(self._programs / "bin" / "postgres"), "-D", folder]
                command += server_arguments(self._socket_folder, durable=self._durable)
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    pass_fds=descriptors,
                    start_new_session=True,  # Ctrl-C in a terminal is ours to answer
                    **self._account.spawn_options(),
                )
        finally:
            os.close(output)
        return Postmaster(process, self._socket_folder)
