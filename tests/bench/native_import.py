"""An import of 10,000 trials with 10,000 attempts, from Harbor's files to the server, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.bench import Bench
from tests.bench.stack import Stack, a_stack
from tests.bench.table import Row, row
from tests.end_to_end.api import Job
from tests.native_import.cohort import a_plan, a_trial, left
from tests.native_import.samples import LATEST, sample

_EXAMPLES = Path(__file__).parents[2] / "sdk/examples"
_TRIALS = 10_000


def measure(bench: Bench) -> Iterator[Row]:
    """Half of the attempts and more are not scored, and so send a reason, too."""
    trials = bench.sized(_TRIALS)
    seconds, megabytes, again, floors = [], [], [], []
    with tempfile.TemporaryDirectory() as name, a_stack() as stack:
        folder = Path(name)
        (folder / "plan.json").write_text(json.dumps(_plan(folder / "results", trials)), encoding="utf-8")
        for _ in range(bench.repeats):
            floors.append(_read(folder / "results"))
            job = stack.jobs(1)[0]
            took, peak = _imported(folder, job)
            seconds.append(took)
            megabytes.append(peak)
            again.append(_imported(folder, job)[0])
            _complete(stack, job, trials)
    what = f"native import of {trials:,} trials with {trials:,} attempts"
    note = (
        f"imported again {min(again):.1f} to {max(again):.1f} s; floor: reading the same files and parsing their JSON"
    )
    yield row(what, "<= 30 s", seconds, "s", floors, note)
    yield row("the importer's memory then, at its peak (RSS)", "<= 300 MB", megabytes, "MB")


def _plan(root: Path, trials: int) -> dict[str, object]:
    """Real results, one after the other, under names of their own."""
    results = [sample("harbor", name) for name in LATEST]
    for at in range(trials):
        left(root, f"session-{at}", results[at % len(results)])
    return a_plan(*(a_trial(f"task-{at}", "repeat-0", f"session-{at}") for at in range(trials)))


def _imported(folder: Path, job: Job) -> tuple[float, float]:
    """Seconds and megabytes of one run of the command."""
    given = ["--root", "results", "--plan", "plan.json", "--output", "snapshot.json", "--upload"]
    paths = os.pathsep.join([str(_EXAMPLES.parent), str(_EXAMPLES)])
    began = time.perf_counter()
    running = subprocess.Popen(
        [sys.executable, "-m", "common.eval.native_import", *given],
        cwd=folder,
        env={**os.environ, **job.env, "PYTHONPATH": paths},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode == 0, f"the import ended with {running.returncode}"
    return time.perf_counter() - began, used.ru_maxrss / 1000


def _complete(stack: Stack, job: Job, trials: int) -> None:
    """Every trial is there, once."""
    stack.caught_up()
    (only,) = stack.api.get(f"/api/runs/{job.run_id}/validation/rounds")["items"]
    assert (only["expected"], only["reported"], only["set_aside"]) == (trials, trials, 0), only


def _read(root: Path) -> float:
    began = time.perf_counter()
    for path in root.iterdir():
        json.loads((path / "result.json").read_bytes())
    return time.perf_counter() - began
