"""The import command against a real server: counts of real results, and a kill in the middle of the delivery."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.end_to_end.api import Job
from tests.native_import import samples
from tests.native_import.cohort import a_plan, a_trial

EXAMPLES = Path(__file__).parents[2] / "sdk/examples"
TRIALS = 1_500


def importing(job: Job, folder: Path, plan: dict) -> subprocess.Popen[str]:
    (folder / "results").mkdir(exist_ok=True)
    (folder / "plan.json").write_text(json.dumps(plan))
    given = ["--root", "results", "--plan", "plan.json", "--output", "snapshot.json", "--upload"]
    paths = os.pathsep.join([str(EXAMPLES.parent), str(EXAMPLES)])
    return subprocess.Popen(
        [sys.executable, "-m", "common.eval.native_import", *given],
        cwd=folder,
        env={**os.environ, **job.env, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(running: subprocess.Popen[str]) -> str:
    output, errors = running.communicate(timeout=120)
    assert running.returncode == 0, errors
    return output


def the_round(job: Job) -> dict:
    """The only one, after all that was sent before."""
    job.post("hparams", params={"asked": True})
    (only,) = job.get("/validation/rounds")["items"]
    found: dict = only
    return found


def test_real_results_are_counted_as_by_hand_however_often_they_are_imported(job, tmp_path):
    plan = samples.real_results(tmp_path / "results")
    once = finished(importing(job, tmp_path, plan))
    first = the_round(job)
    again = finished(importing(job, tmp_path, plan))

    assert once == again
    assert {name: first[name] for name in samples.COUNTS} == samples.COUNTS
    assert the_round(job) == first
    assert first["set_aside"] == 0


def test_an_import_that_was_killed_while_it_sent_is_finished_by_the_same_command(job, tmp_path):
    plan = a_plan(*(a_trial(f"t{at}", "0", f"d{at}") for at in range(TRIALS)))
    killed = importing(job, tmp_path, plan)
    assert killed.stderr is not None
    for line in killed.stderr:
        if line.startswith("sent 2,0"):
            killed.send_signal(signal.SIGKILL)
            break
    killed.communicate(timeout=60)
    assert killed.returncode == -signal.SIGKILL

    assert finished(importing(job, tmp_path, plan)).endswith(f"delivered to {job.run_id}\n")
    found = the_round(job)
    assert (found["expected"], found["unscored"], found["set_aside"]) == (TRIALS, TRIALS, 0)
    trials = job.get(f"/validation/rounds/{found['round_id']}/trials", limit=100)["items"]
    assert {one["reason"] for one in trials} == {"no result.json: never started, still running, or killed"}
