"""What an import of a large evaluation takes: the whole command against a real server, and its own memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.bench.bench import Bench
from tests.bench.stack import a_stack
from tests.bench.table import Row, row
from tests.end_to_end.api import Job
from tests.end_to_end.installation import a_folder, environment
from tests.lm_eval.written import large_run

TRIALS = 10_000
_SDK = Path(__file__).resolve().parents[2] / "sdk"


def measure(bench: Bench) -> Iterator[Row]:
    """From the start of the command to its exit, with every answer of the server in between."""
    count = bench.sized(TRIALS)
    with a_stack() as stack, a_folder() as folder:
        command = [sys.executable, "-m", "tuneplane.integrations.lm_eval", str(large_run(folder, count))]
        found = [imported(command, job) for job in stack.jobs(bench.repeats)]
        stack.caught_up()
    what = f"import of {count:,} lm-eval trials"
    yield row(what, "<= 30 s", [seconds for seconds, _ in found], "s")
    yield row(f"{what}: peak memory of the importer", "<= 300 MB", [megabytes for _, megabytes in found], "MB")


def imported(command: Sequence[str], job: Job) -> tuple[float, float]:
    """Seconds, and megabytes at its largest, of a command that reports to `job`."""
    began = time.perf_counter()
    env = environment(**job.env, PYTHONPATH=str(_SDK))
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return time.perf_counter() - began, usage.ru_maxrss * 1024 / 1e6
