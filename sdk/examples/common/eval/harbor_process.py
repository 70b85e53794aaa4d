"""The interpreter that has Harbor, as a process that runs one trial after another on our word.

It is a session of its own, so that a Ctrl-C in a terminal reaches us alone and we pass it on once. When we end in any
way, its orders end, and it cancels the trial that runs and ends too.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

_EXAMPLES = Path(__file__).resolve().parents[2]
_RUNNER = "common.eval.harbor_runner"
_OURS = ("TUNEPLANE_JOB_TOKEN", "TUNEPLANE_TOKEN")
"""Credentials of this command that no evaluated agent has any use for."""
_OFFLINE = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
"""Without it, each process asks the internet what models cost, and waits 10 s and more where there is none."""


class HarborRefuses(Exception):
    """Harbor cannot be used as configured, so nothing was started. Each of `args` is a reason."""

    def __str__(self) -> str:
        return "\n".join(map(str, self.args))


class HarborProcessEnded(Exception):
    """The process of Harbor ended in the middle of its work: killed, or out of memory."""


@dataclass(frozen=True)
class Ended:
    """How a trial ended, outside of what Harbor says in its result."""

    phase: str
    """`none` (not begun), `create` or `run`."""
    cut: str | None
    """Why it was cancelled: `deadline`, a signal's name, or that the coordinator ended; None: it was not."""
    error: str | None
    """Type of the error that ended it; None: Harbor gave its result, whatever that says."""
    message: str | None
    """Of the error; may hold anything, so it is kept in no file."""


class HarborProcess:
    """Use as a context: on leaving, the process has ended, its clean-up included."""

    def __init__(self, python: str) -> None:
        """`python` is the interpreter. Raises `HarborRefuses` where it cannot be started."""
        self.version = ""
        """Harbor's, known after `check`."""
        try:
            self._process = subprocess.Popen(
                [python, "-m", _RUNNER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=_environment(),
                start_new_session=True,
            )
        except OSError as problem:
            raise HarborRefuses(f"{python} cannot be started: {problem.strerror}") from None

    def __enter__(self) -> HarborProcess:  # noqa: PYI034 - Self came after 3.9
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.stdin:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def check(self, trials: list[dict[str, Any]], deadline: float) -> None:
        """Hands over all trials. Raises `HarborRefuses` where Harbor is absent or does not take every setting."""
        try:
            self._say(json.dumps({"trials": trials, "deadline": deadline}))
            answer = self._hear()
        except HarborProcessEnded as problem:
            raise HarborRefuses(f"{problem} before it had looked at the configuration") from None
        if "absent" in answer:
            told = f"Python {answer['python']} cannot import Harbor ({answer['absent']})"
            raise HarborRefuses(f"{told}: name the interpreter that has it with --harbor-python")
        if answer["refused"]:
            told = f"Harbor {answer['harbor']}"
            lines = dict.fromkeys(f"trial.{one['field']}: {one['rule']} ({told})" for one in answer["refused"])
            raise HarborRefuses(*lines)
        self.version = str(answer["harbor"])

    def run(self, number: int) -> Ended:
        """Runs the trial of this number, from 0, to its end. Raises `HarborProcessEnded`."""
        self._say(str(number))
        return Ended(**self._hear())

    def stop(self) -> None:
        """Cancels the trial that runs; it ends after Harbor's clean-up. No further one is begun."""
        self._process.send_signal(signal.SIGTERM)

    def _say(self, line: str) -> None:
        if self._process.stdin is None:
            raise HarborProcessEnded("no way to the process")
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None

    def _hear(self) -> dict[str, Any]:
        line = self._process.stdout.readline() if self._process.stdout else b""
        if not line.endswith(b"\n"):
            raise self._ended()
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _ended(self) -> HarborProcessEnded:
        code = self._process.wait()
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        return HarborProcessEnded(f"the process of Harbor {how}")


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _OURS}
    paths = [str(_EXAMPLES), kept.get("PYTHONPATH", "")]
    return {**_OFFLINE, **kept, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
