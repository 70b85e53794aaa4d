"""One demonstration beside a running server: a run, its job in a process of its own, and a check of what came back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from domain.ids import RunId
from entrypoints.container import Container
from entrypoints.demo import read_back
from entrypoints.demo.sent import load

_OWNER = "admin"
_ONCE = ("--epochs", "8")
_WATCHED = ("--epochs", "40", "--pace", "0.05")
"""1,800 steps in about a minute and a half."""
_BASELINE = ("--epochs", "8", "--hidden", "8", "--pace", "0.01")
"""A smaller network beside the one that is watched, so that there is something to compare with."""
_START_SECONDS = 30.0
_LOOK_SECONDS = 0.05
_END_SECONDS = 5.0
"""What a job gets to report its end in."""


class Summary(msgspec.Struct, kw_only=True):
    """What `demo --once` prints."""

    run_id: str
    ok: bool
    """Every number that was sent came back, and the job ended well."""
    exit_code: int
    """Of the training job."""
    seconds: float
    """From the start of the job to the end of the comparison."""
    compared: list[read_back.Finding]


class DemoSession:
    """Runs in a thread beside the server, and ends the server when it is done and nobody watches."""

    def __init__(
        self, container: Container, announce: Callable[[str], None], finished: Callable[[int], None], *, once: bool
    ) -> None:
        """`announce` is told the run once it can be watched, `finished` the exit code of a job that nobody ended."""
        self._container = container
        self._announce = announce
        self._finished = finished
        self._once = once
        self._jobs: list[subprocess.Popen[bytes]] = []
        self._closed = threading.Event()
        self._starting = threading.Lock()
        """No job starts once closed."""
        self._thread = threading.Thread(target=self._run, name="demo", daemon=True)
        self.status = 0 if not once else 1
        """Exit status of the demonstration."""

    def start(self) -> None:
        """The server's port is open."""
        self._thread.start()

    def close(self) -> None:
        """Ends the jobs that still train. The server should still answer: they report their end.

        May be called again, from any thread but the session's own.
        """
        with self._starting:
            self._closed.set()
        training = [job for job in self._jobs if job.poll() is None]
        for job in training:
            job.terminate()
        for job in training:
            try:
                job.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(job.pid, signal.SIGKILL)  # it leads a session of its own
        if self._thread.is_alive():
            self._thread.join(_END_SECONDS)

    def _run(self) -> None:
        try:
            with tempfile.TemporaryDirectory(prefix="tuneplane-demo-") as folder:
                self._demonstrate(Path(folder))
        finally:
            if self._once and not self._closed.is_set():
                os.kill(os.getpid(), signal.SIGTERM)  # the server's own way to stop

    def _demonstrate(self, folder: Path) -> None:
        began, record = time.monotonic(), folder / "sent.json"
        self._await_server()
        baseline = None if self._once else self._run_named("digits, 8 hidden units")
        run_id = self._run_named("digits")
        self._announce(run_id)
        job = self._start_job(run_id, record, _ONCE if self._once else _WATCHED)
        if baseline is not None:
            self._start_job(baseline, folder / "baseline.json", _BASELINE)
        code = None if job is None else self._ended(job, record)
        if code is None or self._closed.is_set():
            return
        self._finished(code)
        if not self._once:
            return
        compared = read_back.compare(load(record), self._reader(run_id)) if record.exists() else []
        summary = Summary(
            run_id=run_id,
            ok=code == 0 and bool(compared) and all(finding.good for finding in compared),
            exit_code=code,
            seconds=round(time.monotonic() - began, 2),
            compared=compared,
        )
        print(msgspec.json.format(msgspec.json.encode(summary), indent=1).decode(), flush=True)  # noqa: T201
        self.status = 0 if summary.ok else 1

    def _await_server(self) -> None:
        address = f"{self._container.settings().address}/readyz"
        deadline = time.monotonic() + _START_SECONDS
        while not self._closed.is_set() and not _answers(address) and time.monotonic() < deadline:
            self._closed.wait(_LOOK_SECONDS)

    def _run_named(self, name: str) -> RunId:
        made = self._container.create_run()(
            name=name, owner=_OWNER, tags=["demo"], framework="numpy", recipe="two-layer perceptron"
        )
        return made.run_id

    def _ended(self, job: subprocess.Popen[bytes], record: Path) -> int:
        """Its exit code, once all jobs have ended: what they print goes into the folder of this session."""
        for one in self._jobs:
            one.wait()
        if job.returncode != 0 and not self._closed.is_set():
            print(record.with_suffix(".log").read_text(errors="replace"), file=sys.stderr)  # noqa: T201
        return job.returncode

    def _start_job(self, run_id: RunId, record: Path, options: Sequence[str]) -> subprocess.Popen[bytes] | None:
        """The job as anybody would run it: `tuneplane run -- …`, with the environment a launcher gives it.

        None where it was not started, because the session was closed.
        """
        opened = self._container.open_execution()(run_id, opened_by=_OWNER)
        job = [sys.executable, "-m", "entrypoints.demo.job", "--sent", str(record), *options]
        with record.with_suffix(".log").open("wb") as log, self._starting:
            if self._closed.is_set():
                return None
            started = subprocess.Popen(
                [sys.executable, "-m", "tuneplane.cli", "run", "--", *job],
                env={**os.environ, **opened.env},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._jobs.append(started)
        return started

    def _reader(self, run_id: RunId) -> read_back.Get:
        token = self._container.create_personal_token()(_OWNER, name="demo --once", days=1)
        position = self._container.event_log().head().position
        return read_back.reader(self._container.settings().address, token.text, run_id, position)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=1):  # noqa: S310 - our own server
            return True
    except (urllib.error.URLError, OSError):
        return False
