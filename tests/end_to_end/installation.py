"""A real server on a folder, as an operator has it: started, killed, started again, stopped in good order."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from adapters.embedded_postgres.launcher import EmbeddedPostgres, conninfo_of_running
from adapters.embedded_postgres.postmaster import read_pid_file
from tests.end_to_end.waiting import PATIENCE_SECONDS, until

COMMAND = Path(sys.executable).with_name("tuneplane-server")


def environment(**more: str) -> dict[str, str]:
    """This process's, without settings of TunePlane's."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith("TUNEPLANE_")}, **more}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def tuneplane_server(*arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
    """One command, to its end."""
    return subprocess.run(
        [COMMAND, *map(str, arguments)],
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


class ServerProcess:
    """One port and one folder for as many starts as a test needs. With a `database_url` it makes no database.

    `variables` are of its environment.
    """

    def __init__(self, folder: Path, database_url: str | None = None, **variables: str) -> None:
        self.data = folder / "data"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.output = folder / f"server-{self.port}.log"
        self._environment = variables | ({} if database_url is None else {"TUNEPLANE_DATABASE_URL": database_url})
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Returns once it is ready."""
        command: list[str | Path] = [COMMAND, "serve", "--data", self.data, "--port", str(self.port)]
        with self.output.open("ab") as output:
            self._process = subprocess.Popen(
                command, env=environment(**self._environment), stdout=output, stderr=output, stdin=subprocess.DEVNULL
            )
        until(self._ready, "the server's start")

    def kill(self) -> None:
        """As the machine's out-of-memory killer does."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(PATIENCE_SECONDS)

    def signal(self, number: int = signal.SIGTERM) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def wait(self) -> int:
        """Its exit status."""
        assert self._process is not None
        return self._process.wait(PATIENCE_SECONDS)

    def stop(self) -> int:
        self.signal()
        return self.wait()

    def is_away(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def close(self) -> None:
        """Ends it if it runs, and the database that a killed one has left running."""
        if not self.is_away():
            self.stop()
        if conninfo_of_running(self.data / "postgres") is not None:
            with EmbeddedPostgres(self.data / "postgres"):
                pass

    def dsn(self) -> str:
        """Of its running database, from any process."""
        return self._environment.get("TUNEPLANE_DATABASE_URL") or until(
            lambda: conninfo_of_running(self.data / "postgres"), "the database's start"
        )

    def postmaster(self) -> int | None:
        """The process number of its database; None while there is none on record."""
        found = read_pid_file(self.data / "postgres" / "pgdata")
        return None if found is None else found.pid

    def projector(self) -> int:
        """The process number of its projector."""
        return until(self._projector, "the projector's start")

    def command(self, *arguments: object) -> str:
        """What a command says about this installation."""
        done = tuneplane_server(*arguments, "--data", self.data, **self._environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def said(self) -> str:
        """Everything it has printed and logged."""
        return self.output.read_text(encoding="utf-8")

    def _ready(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.said()[-2000:]
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=10) as answer:
                return bool(answer.status == 200)
        except urllib.error.HTTPError as refusal:
            refusal.close()
        except OSError:
            pass
        return False

    def _projector(self) -> int | None:
        return next(
            (one.pid for one in psutil.Process(self.pid).children() if "--until-stdin-ends" in one.cmdline()), None
        )


def is_gone(pid: int) -> bool:
    """Whether no such process runs; one that nobody has buried yet does not run."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@contextmanager
def a_folder() -> Iterator[Path]:
    """In the system's temporary folder, where an unprivileged database account can reach it."""
    folder = Path(tempfile.mkdtemp(prefix="tuneplane-tests-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def a_server() -> Iterator[ServerProcess]:
    """A started server on a fresh folder."""
    with a_folder() as folder:
        server = ServerProcess(folder)
        try:
            server.start()
            yield server
        finally:
            server.close()
