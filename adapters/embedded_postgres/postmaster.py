"""PostgreSQL's main process: finding the one that runs on a cluster, waiting for its end, ending it."""

import contextlib
import logging
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

import psutil

log = logging.getLogger(__name__)


class Postmaster:
    """A running main process: our child, or one that an earlier launcher left behind."""

    def __init__(self, process: "subprocess.Popen[bytes] | psutil.Process", socket_folder: Path) -> None:
        self._process = process
        self.socket_folder = socket_folder

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for its end and reap it. Returns whether it has ended; `None` waits as long as it takes."""
        try:
            self._process.wait(seconds)
        except (subprocess.TimeoutExpired, psutil.TimeoutExpired):
            return False
        return True

    def stop(self) -> None:
        """End it with all sessions rolled back and everything on disk; harder when it does not listen."""
        for how, seconds in ((signal.SIGINT, 60.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 10.0)):
            with contextlib.suppress(ProcessLookupError, psutil.NoSuchProcess):
                self._process.send_signal(how)
            if self.wait(seconds):
                return
            log.warning("PostgreSQL (process %d) did not end %.0f s after %s", self.pid, seconds, how.name)


@dataclass(frozen=True)
class PidFile:
    """What PostgreSQL writes into `postmaster.pid`."""

    pid: int
    socket_folder: Path


def read_pid_file(cluster: Path) -> PidFile | None:
    """The record of the main process that runs on the cluster or did so last; `None` after an orderly end."""
    try:
        lines = (cluster / "postmaster.pid").read_text(encoding="utf-8", errors="replace").splitlines()
        return PidFile(pid=int(lines[0]), socket_folder=Path(lines[4]))
    except (FileNotFoundError, IndexError, ValueError):
        return None


def running_postmaster(cluster: Path) -> Postmaster | None:
    """The main process that runs on the cluster, whoever started it. A number taken by another program is not it."""
    record = read_pid_file(cluster)
    if record is None:
        return None
    try:
        process = psutil.Process(record.pid)
        return Postmaster(process, record.socket_folder) if _works_on(process, cluster) else None
    except psutil.Error:
        return None


def clear_remains(cluster: Path, socket_folder: Path) -> None:
    """Take away what stops a new start after the main process was killed. Call it only when none is running.

    Its sessions hold the shared memory until they notice, and what they did not finish is lost anyhow. The lock files
    may name a process number that another program, or a zombie, has by now.
    """
    remains = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if _works_on(process, cluster):
                process.kill()
                remains.append(process)
    psutil.wait_procs(remains, timeout=5)
    for path in (cluster / "postmaster.pid", *socket_folder.glob(".s.PGSQL.*")):
        path.unlink(missing_ok=True)


def _works_on(process: psutil.Process, cluster: Path) -> bool:
    """Whether it is a live PostgreSQL process of this cluster: all of them have it as their working folder."""
    if process.name() != "postgres" or process.status() == psutil.STATUS_ZOMBIE:
        return False
    try:
        # The link leads to the folder itself, also for a process that sees another file system, as in a container.
        link = Path(f"/proc/{process.pid}/cwd")
        return cluster.samefile(link if link.is_symlink() else process.cwd())
    except OSError:
        return False
