"""`tuneplane run`: any command with its lifecycle, output, hardware and environment reported.

Whatever happens to the reporting, the command runs, and its exit code is ours.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from typing import TYPE_CHECKING

from tuneplane import environment
from tuneplane.child import Child, NotStarted, signals_passed_on
from tuneplane.contract import LOG_DELIVERY_HEALTH
from tuneplane.credentials import Credentials, CredentialsUnusable, found_credentials
from tuneplane.hardware import MONITORED, Monitor, interval_from, samples_here
from tuneplane.lifecycle import StrictReports
from tuneplane.log_buffer import LogBuffer
from tuneplane.log_forwarder import LogForwarder
from tuneplane.observations import observation
from tuneplane.opening import SERVER, TOKEN, NotOpened, Server
from tuneplane.parcels import Requests
from tuneplane.session import Session, fresh_stream

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

END_SECONDS = 600.0
"""How long the end of a run is reported again and again."""
_OPENING_TRIES = 3
_OPENING_SECONDS = 5.0
_POLL_SECONDS = 0.05


def tell(text: str) -> None:
    """A line for the person watching; a closed terminal must not end the run."""
    try:
        sys.stderr.write(f"tuneplane: {text}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return


class Run:
    """One command, reported. `end_seconds` bounds the wait for the last reports."""

    def __init__(
        self,
        command: list[str],
        credentials: Credentials,
        env: Mapping[str, str],
        *,
        end_seconds: float = END_SECONDS,
    ) -> None:
        self._command = command
        self._credentials = credentials
        self._env = env
        self._end_seconds = end_seconds
        self._buffer = LogBuffer()
        self._stream = fresh_stream()
        self._logs = LogForwarder(credentials, self._stream, self._buffer, tell)
        self._reports = StrictReports(credentials, tell)
        self._background = StrictReports(credentials, tell)
        self._session = Session(lambda stream: Requests(credentials, stream), self._stream, heartbeat=False)
        self._child: Child | None = None
        self._signalled = threading.Event()
        self._early: int | None = None
        """A signal that came before there was a command to pass it on to."""

    def execute(self) -> int:
        """Runs the command to its end; returns its exit code."""
        with signals_passed_on(self._signal):
            self._reports.start()
            self._reports.lifecycle("starting")
            self._logs.start()
            self._background.start()
            threading.Thread(target=self._describe, name="tuneplane-snapshot", daemon=True).start()
            code = self._run_child()
            self._report_end(code)
        return code

    def _run_child(self) -> int:
        env = {"PYTHONUNBUFFERED": "1", **self._env, MONITORED: "1"}
        try:
            self._child = Child(self._command, env, self._buffer)
        except NotStarted as problem:
            tell(str(problem))
            self._buffer.put(f"tuneplane: {problem}\n")
            return problem.code
        if self._early is not None:
            self._child.signal(self._early)
        self._reports.lifecycle("running")
        if samples_here(self._env):
            self._session.watch(Monitor(interval_from(self._env), pid=self._child.pid))
            self._session.start()
        return self._child.wait()

    def _describe(self) -> None:
        """Reports environment and node; reading all packages takes a while, so not before the start."""
        try:
            found = environment.snapshot(self._env, self._command)
            self._background.put("environment", found)
            self._background.put("environment/nodes", {"nodes": [environment.node(found["hardware"])]})
        except Exception as problem:  # noqa: BLE001 - a snapshot missing never fails the run
            tell(f"no environment snapshot: {type(problem).__name__}: {problem}")
        self._background.close()

    def _report_end(self, code: int) -> None:
        """Waits until the last reports are accepted, for a while, or until a second signal."""
        self._child = None
        self._signalled.clear()
        deadline = time.monotonic() + self._end_seconds
        self._reports.lifecycle("failed" if code else "succeeded")
        self._reports.close()
        self._buffer.close()
        self._session.finish(min(2.0, self._end_seconds))
        waiting: list[StrictReports | LogForwarder] = [self._reports, self._logs, self._background]
        told = False
        while not all(one.done() for one in waiting):
            left = deadline - time.monotonic()
            if left <= 0 or self._signalled.wait(min(_POLL_SECONDS, left)):
                break
            if not told and left < self._end_seconds - 5:
                told = True
                tell(f"the command ended with {code}; its last reports are not accepted yet, trying on")
        for one in waiting:
            one.give_up()
        if self._logs.done():
            self._tell_log_delivery()
        self._say_what_is_missing()

    def _tell_log_delivery(self) -> None:
        """The receipt for the log, which the console holds against what is stored; tried for a moment."""
        values = {"stream_id": self._stream, "finished": True, **self._logs.receipt()}
        self._session.observe(observation(LOG_DELIVERY_HEALTH, values=values, kind="health"))
        self._session.finish(min(2.0, self._end_seconds))

    def _say_what_is_missing(self) -> None:
        for reason in self._reports.undelivered():
            tell(f"the run's end was not accepted: {reason}")
        if not self._logs.done():
            tell(f"{self._buffer.size_bytes} bytes of log and the end mark were not accepted")
        if not self._background.done():
            tell("the environment snapshot was not accepted")

    def _signal(self, number: int) -> None:
        """The command gets the signal, as soon as it is there; once it has ended, we stop waiting."""
        child = self._child
        if child is not None:
            child.signal(number)
        else:
            self._early = number
            self._signalled.set()


def run_command(
    command: list[str],
    env: Mapping[str, str],
    *,
    name: str,
    tags: Sequence[str] = (),
    run_id: str | None = None,
    end_seconds: float = END_SECONDS,
) -> int:
    """Runs a command with the credentials there are; without any it runs all the same, unreported."""
    try:
        credentials = found_credentials(env)
    except CredentialsUnusable as problem:
        tell(f"nothing is reported: {problem}")
        return _unreported(command, env)
    if credentials is None and env.get("TUNEPLANE_JOB_ENABLED") != "0":
        if not (env.get(SERVER) and env.get(TOKEN)):
            tell(
                f"nothing is reported: neither TUNEPLANE_JOB_* nor {SERVER} and {TOKEN} are set "
                "(a personal token: tuneplane-server token create USER, on the server)"
            )
            return _unreported(command, env)
        credentials, env = _opened(env, name, tags, run_id)
    if credentials is None:
        return _unreported(command, env)
    try:
        run = Run(command, credentials, env, end_seconds=end_seconds)
    except ValueError as problem:
        tell(f"nothing is reported: TUNEPLANE_JOB_ENDPOINT: {problem}")
        return _unreported(command, env)
    return run.execute()


def _opened(
    env: Mapping[str, str], name: str, tags: Sequence[str], run_id: str | None
) -> tuple[Credentials | None, Mapping[str, str]]:
    """Opens the run; after a few tries the command runs unreported."""
    for tries_left in range(_OPENING_TRIES - 1, -1, -1):
        try:
            with contextlib.closing(Server(env[SERVER], env[TOKEN], timeout=_OPENING_SECONDS)) as server:
                opened = server.open(name, tags, run_id)
        except NotOpened as problem:
            if not (tries_left and problem.transient):
                tell(f"no run was opened, nothing is reported (tuneplane doctor tells what to do): {problem}")
                return None, env
            time.sleep(1.0)
        else:
            tell(f"{opened.page} (attempt {opened.credentials.attempt})")
            return opened.credentials, {**env, **opened.env}
    return None, env


def _unreported(command: list[str], env: Mapping[str, str]) -> int:
    """The command alone, in our place. Returns only where it cannot be started."""
    try:
        os.execvpe(command[0], command, dict(env))  # noqa: S606 - the command is the user's own
    except OSError as problem:
        tell(f"cannot start {command[0]!r}: {problem.strerror or problem}")
        return 127 if isinstance(problem, FileNotFoundError) else 126
