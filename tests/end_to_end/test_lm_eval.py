"""lm_eval's results imported into a real server: twice, after a kill, and ten thousand trials at once."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.end_to_end.api import Job
from tests.end_to_end.installation import environment
from tests.end_to_end.waiting import until
from tests.lm_eval.written import dummy_run, large_run, maths_run

SDK = Path(__file__).parents[2] / "sdk"
COMMAND = [sys.executable, "-m", "tuneplane.integrations.lm_eval"]
TRIALS = 10_000
COUNTS = ("expected", "reported", "success", "failure", "infra_error", "unscored", "not_reported", "set_aside")


def job_environment(job: Job) -> dict[str, str]:
    return environment(**job.env, PYTHONPATH=str(SDK))


def imported(job: Job, *places: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, places)],
        env={**job_environment(job), **more},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def listed(job: Job, path: str = "validation/rounds?limit=100") -> list[dict[str, Any]]:
    """As it is once the views have taken in everything that is in the log, which may take a busy machine a while."""
    address = f"/api/runs/{job.run_id}/{path}&min_position={head(job)}"

    def caught_up() -> list[dict[str, Any]] | None:
        answer = job.api.call("GET", address)
        assert answer.status == 200, answer
        return None if "x-tuneplane-behind" in answer.headers else [{}, *answer.body["items"]]

    return until(caught_up, "the views' catching up")[1:]


def rounds(job: Job) -> dict[str, dict[str, Any]]:
    """By name without the hash."""
    return {one["round_id"].rpartition(":")[0]: one for one in listed(job)}


def head(job: Job) -> int:
    return int(job.api.get("/readyz")["position"])


def counted(one: dict[str, Any]) -> tuple[int, ...]:
    return tuple(one[name] for name in COUNTS)


def test_the_real_files_give_the_counts_of_a_hand_count_and_importing_them_again_changes_nothing(job, tmp_path):
    places = dummy_run(tmp_path / "a"), maths_run(tmp_path / "b")
    done = imported(job, *places)
    assert done.returncode == 0, done.stdout + done.stderr
    found = rounds(job)
    assert {name: counted(one) for name, one in found.items()} == {
        "lm-eval:tp_mc:none": (5, 5, 1, 4, 0, 0, 0, 0),  # acc is 1.0 in the record of document 0 alone
        "lm-eval:tp_gen:strict-match": (5, 5, 0, 5, 0, 0, 0, 0),
        "lm-eval:tp_gen:flexible-extract": (5, 5, 0, 5, 0, 0, 0, 0),
        "lm-eval:math_perturbed_full:none": (5000, 10, 0, 10, 0, 0, 4990, 0),  # ten records of 5,000
        "lm-eval:math_rephrased_full:none": (5000, 0, 0, 0, 0, 0, 5000, 0),  # no records, the aggregate alone
    }
    assert (found["lm-eval:tp_mc:none"]["success_rate"], found["lm-eval:tp_mc:none"]["scoring_coverage"]) == (0.2, 1.0)
    assert found["lm-eval:math_rephrased_full:none"]["success_rate"] is None
    assert [name for name, one in found.items() if one["protocol"]] == [
        name for name in found if name.startswith("lm-eval:tp_")
    ]
    assert {one["key"]: (one["value"], one["unit"]) for one in found["lm-eval:tp_mc:none"]["metrics"]} == {
        "acc": (0.2, "ratio"),
        "acc_norm": (0.0, "ratio"),
        "acc_stderr": (0.20000000000000004, "native"),
        "acc_norm_stderr": (0.0, "native"),
    }
    texts = listed(job, "trajectories?scope=validation&limit=100")
    assert len(texts) == 5 + 5 + 5 + 10
    scores = job.api.get(f"/api/runs/{job.run_id}/benchmarks")["items"]
    assert {(one["benchmark"], one["metric"], one["value"]) for one in scores} == {
        ("tp_mc", "acc,none", 0.2),
        ("tp_mc", "acc_norm,none", 0.0),
        ("tp_gen", "exact_match,strict-match", 0.0),
        ("tp_gen", "exact_match,flexible-extract", 0.0),
        ("math_perturbed_full", "exact_match,none", 0.0),
        ("math_rephrased_full", "exact_match,none", 0.0004),
    }
    position = head(job)
    assert imported(job, *places).returncode == 0
    assert head(job) == position


def test_changed_results_are_another_round(job, tmp_path):
    folder = large_run(tmp_path, 3)
    assert imported(job, folder).returncode == 0
    large_run(tmp_path, 4)
    assert imported(job, folder).returncode == 0
    assert sorted(one["expected"] for one in listed(job)) == [3, 4]


def test_ten_thousand_trials_are_imported_and_a_killed_import_goes_on(job, tmp_path):
    folder = large_run(tmp_path, TRIALS)
    begun = head(job)
    with subprocess.Popen([*COMMAND, str(folder)], env=job_environment(job), stdout=subprocess.DEVNULL) as importer:
        until(lambda: head(job) > begun + 500, "some of the trials")
        importer.kill()
    partly = rounds(job)["lm-eval:t:none"]["reported"]
    assert 500 <= partly < TRIALS
    done = imported(job, folder)
    assert done.returncode == 0, done.stderr
    assert "sent 10,003 events, 32 texts, 1 scores" in done.stderr  # population, protocol, acc, and the trials
    assert counted(rounds(job)["lm-eval:t:none"]) == (TRIALS, TRIALS, 3334, 6666, 0, 0, 0, 0)
    texts = listed(job, "trajectories?scope=validation&limit=100")
    assert (len(texts), {one["capture_policy"] for one in texts}) == (32, {"sampled"})


def test_a_command_opens_a_job_of_its_own_and_a_repeat_takes_it_up_again(api, tmp_path):
    folder = large_run(tmp_path, 3)
    env = environment(TUNEPLANE_SERVER=api.url, TUNEPLANE_TOKEN=api.token, PYTHONPATH=str(SDK))
    command = [*COMMAND, str(folder), "--round", "heldout-100", "--checkpoint", "policy@step-100"]
    done = subprocess.run([*command, "--job", "an evaluation"], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = re.search(r"--run-id (\S+)", done.stderr)
    assert found is not None
    again = subprocess.run([*command, "--run-id", found[1]], env=env, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    at = {"min_position": api.get("/readyz")["position"]}
    run = api.get(f"/api/runs/{found[1]}", **at)
    assert (run["name"], run["status"], run["attempt"]) == ("an evaluation", "succeeded", 1)
    (one,) = api.get(f"/api/runs/{found[1]}/validation/rounds")["items"]
    assert one["round_id"].startswith("heldout-100:t:none:")
    assert (one["attempt"], one["expected"], one["success"], one["failure"]) == (1, 3, 1, 2)
    assert one["protocol"]["checkpoint"] == "policy@step-100"


def test_a_server_that_is_away_is_said_and_the_same_command_goes_on(job, tmp_path):
    folder = large_run(tmp_path, 3)
    away = imported(job, folder, TUNEPLANE_JOB_ENDPOINT="http://127.0.0.1:9/api/ingest")
    assert away.returncode == 3
    assert "the same command goes on" in away.stderr
    assert imported(job, folder).returncode == 0
