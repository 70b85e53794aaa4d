"""Tasks for Harbor that end in every way there is, configurations of cohorts of them, and a run of the command."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any, NamedTuple

from tests.environments import clean_variables

EXAMPLES = Path(__file__).parents[2] / "sdk" / "examples"
SDK = EXAMPLES.parent
HELLO = 'echo -n "Hello, TunePlane" > /app/hello.txt'
CHECKED = """if [ "$(cat /app/hello.txt 2>/dev/null)" = "Hello, TunePlane" ]; then echo 1; else echo 0; fi \
> /logs/verifier/reward.txt"""
TOLD = {
    "schema_version": "ATIF-v1.6",
    "session_id": "s",
    "agent": {"name": "writer", "version": "1"},
    "steps": [{"step_id": 1, "source": "agent", "message": "I wrote the file"}],
}
"""A trajectory of one message."""
TASKS = {
    "solved": (HELLO, CHECKED),
    "unsolved": (f"cat > /app/hello.txt || {HELLO}", CHECKED),
    "half-right": (HELLO, "echo 0.5 > /logs/verifier/reward.txt"),
    "solved-too-slowly": (f"{HELLO}; sleep 600", CHECKED),
    "too-slow": ("sleep 600", CHECKED),
    "never-ending": ("sleep 600", CHECKED),
    "slow-verifier": (HELLO, f"sleep 600; {CHECKED}"),
    "no-reward": (HELLO, "echo nothing"),
    "told": (f"{HELLO}; echo '{json.dumps(TOLD)}' > /logs/agent/trajectory.json", CHECKED),
}
"""Each task's solution, which the agent `oracle` runs, and its verifier. `sleep 600` is always cut, and `cat` reads an
input that is nobody's: from our orders it could not, and the task would be solved."""
SECONDS = {"solved-too-slowly": (4, 30), "too-slow": (1, 30), "slow-verifier": (60, 1)}
"""What the task gives its agent and its verifier: little only where all of it is used up in any case."""
TASK_TOML = """schema_version = "1.3"
[verifier]
timeout_sec = {verifier}
[agent]
timeout_sec = {agent}
[environment]
build_timeout_sec = 60.0
cpus = 1
memory_mb = 512
"""


def a_task(folder: Path, name: str) -> Path:
    """The folder of a task, made."""
    task = folder / name
    solution, verifier = TASKS.get(name, TASKS["solved"])
    agent_seconds, verifier_seconds = SECONDS.get(name, (60, 30))
    files = {
        "task.toml": TASK_TOML.format(agent=agent_seconds, verifier=verifier_seconds),
        "instruction.md": "Create /app/hello.txt containing exactly: Hello, TunePlane\n",
        "environment/Dockerfile": "FROM debian:bookworm-slim\n",
        "solution/solve.sh": f"#!/bin/bash\n{solution}\n",
        "tests/test.sh": f"#!/bin/bash\n{verifier}\n",
    }
    for path, text in files.items():
        (task / path).parent.mkdir(parents=True, exist_ok=True)
        (task / path).write_text(text)
    return task


def a_plan(*tasks: str) -> dict[str, Any]:
    """An import plan of one trial for each task, none executed."""
    return {
        "schema": "tuneplane/native-evaluation-import/v1",
        "source_revision": "ea644fecbc24abf404483d804df4e28caeb44d33",
        "round_id": "heldout-1",
        "checkpoint": "model@immutable-revision",
        "dataset_digest": "a" * 64,
        "verifier_digest": "b" * 64,
        "runtime_digest": "c" * 64,
        "harness_digest": "d" * 64,
        "split": "eval",
        "settings": {"sampling": {"seed": 42}, "retry_policy": "latest explicit retry; never best reward"},
        "trials": [{"task_id": task, "trial_id": "repeat-0", "attempts": []} for task in tasks],
    }


def a_config(folder: Path, *tasks: str, timeout_seconds: float = 120, **trial: Any) -> dict[str, Any]:
    """A configuration of these tasks, made below `folder`; `trial` replaces sections of Harbor's settings."""
    return {
        "schema": "tuneplane/native-evaluation-execution/v1",
        "plan": a_plan(*tasks),
        "task_paths": {task: str(a_task(folder / "tasks", task)) for task in tasks},
        "timeout_seconds": timeout_seconds,
        "trial": {
            "agent": {"name": "oracle"},
            "environment": {"import_path": "localenv:LocalEnvironment"},
            "verifier": {},
            **trial,
        },
    }


class Run(NamedTuple):
    """One execution of the command, in a folder of its own."""

    folder: Path
    mark: str
    """In the environment of every process that belongs to it, those in sandboxes too."""
    started: list["subprocess.Popen[str]"]

    @property
    def output(self) -> Path:
        return self.folder / "out"

    def start(self, config: dict[str, Any], harbor: Path, *options: str, **env: str) -> "subprocess.Popen[str]":
        (self.folder / "native-eval.json").write_text(json.dumps(config))
        (self.folder / "sandboxes").mkdir(exist_ok=True)
        paths = os.pathsep.join(map(str, (SDK, EXAMPLES, Path(__file__).parent)))
        marked = {"TUNEPLANE_SANDBOX_MARK": self.mark, "TUNEPLANE_SANDBOXES": str(self.folder / "sandboxes")}
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "common.eval.native_eval", "--harbor-python", str(harbor)),
                *("--config", str(self.folder / "native-eval.json"), "--output", str(self.output), *options),
            ],
            env=clean_variables(PYTHONPATH=paths, **marked, **env),
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def done(self, config: dict[str, Any], harbor: Path, *options: str, **env: str) -> tuple[int, str, str]:
        """Exit code, output and what was said beside it."""
        process = self.start(config, harbor, *options, **env)
        out, said = process.communicate()
        return process.returncode, out, said

    def read(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.output / name).read_text())
        return found

    def outcomes(self) -> dict[str, tuple[str, str | None]]:
        """Status and reason of each trial in the snapshot."""
        found = self.read("native-evaluation.json")["outcomes"]
        return {one["trial_id"].removesuffix(":repeat-0"): (one["status"], one["reason"]) for one in found}

    def processes(self, mark: str = "") -> dict[int, str]:
        """Ids and command lines of what is alive and carries the run's mark, or another one."""
        wanted = (mark or self.mark).encode()
        found = {int(process.name): _marked(process, wanted) for process in Path("/proc").glob("[0-9]*")}
        return {number: line for number, line in found.items() if line}

    def end_all(self) -> None:
        for number in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        for process in self.started:
            process.communicate()

    def sandboxes(self) -> list[str]:
        return [path.name for path in (self.folder / "sandboxes").iterdir()]


def _marked(process: Path, mark: bytes) -> str:
    """The command line of a process that carries the mark; empty otherwise, and for what has ended meanwhile."""
    try:
        if mark not in (process / "environ").read_bytes():
            return ""
        return (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def a_run(folder: Path) -> Run:
    return Run(folder, uuid.uuid4().hex, [])
