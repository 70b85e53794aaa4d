"""What verl and a Hugging Face trainer wrote, brought into a real server: twice, after a kill, into a new job."""

import json
import re
import subprocess
import sys
from pathlib import Path

from tests.end_to_end.api import Job
from tests.end_to_end.installation import environment
from tests.end_to_end.waiting import until

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "tests" / "samples"
LINES = 1000


def command(module: str, *words: object) -> list[str]:
    return [sys.executable, "-m", f"tuneplane.integrations.{module}", *map(str, words)]


def brought(job: Job, module: str, *words: object) -> subprocess.CompletedProcess[str]:
    env = environment(**job.env, PYTHONPATH=str(ROOT / "sdk"))
    return subprocess.run(command(module, *words), env=env, capture_output=True, text=True, timeout=120, check=False)


def head(job: Job) -> int:
    return int(job.api.get("/readyz")["position"])


def series(job: Job) -> dict[str, dict]:
    items = job.api.get(f"/api/runs/{job.run_id}/series", limit=1000, min_position=head(job))["items"]
    return {one["key"]: one for one in items}


def test_what_verl_wrote_is_there_once_however_often_it_is_brought(job):
    words = [SAMPLES / "verl" / "metrics.jsonl", "--rollouts", SAMPLES / "verl" / "rollouts"]
    words += ["--validation", SAMPLES / "verl" / "validation"]
    assert brought(job, "verl", *words).returncode == 0
    found = series(job)
    assert len(found) == 12  # 10 of the training, 2 of the validation
    assert [found["actor/grad_norm"][name] for name in ("count", "first_step", "last_step")] == [2, 1, 3]
    assert [found["critic/advantages/min"][name] for name in ("count", "last_step")] == [2, 2]
    assert [found["val-core/openai/gsm8k/reward/mean@1"][name] for name in ("count", "last")] == [2, 0.5]
    rollouts = job.get("/trajectories", scope="training")["items"]
    assert sorted((one["step"], one["diagnostic"]) for one in rollouts) == [
        (1, "anomaly"),
        (1, "low_reward"),
        (1, "representative"),
        (1, "representative"),
        (2, "low_reward"),
        (2, "representative"),
    ]
    assert {one["consumption_policy"] for one in rollouts} == {None}
    rounds = {one["round_id"]: one for one in job.get("/validation/rounds")["items"]}
    assert {name: (one["reported"], one["success_rate"]) for name, one in rounds.items()} == {
        "0": (None, None),
        "3": (None, None),
    }
    assert len(job.get("/validation/rounds/3/samples")["items"]) == 3
    position = head(job)
    assert brought(job, "verl", *words).returncode == 0
    assert head(job) == position


def test_a_trainers_log_is_there_once_however_often_it_is_brought(job):
    done = brought(job, "hf_trainer", SAMPLES / "hf-trainer")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("trainer_state.json (step 20): points 26\n")
    found = series(job)
    assert {key: one["count"] for key, one in found.items()} == {
        "loss": 4,
        "grad_norm": 4,
        "learning_rate": 4,
        "epoch": 4,  # at 10 and 20 the evaluation says it again
        "eval_loss": 2,
        "eval_runtime": 2,
        "eval_samples_per_second": 2,
        "eval_steps_per_second": 2,
    }
    assert (found["loss"]["first"], found["eval_loss"]["last"]) == (4.462272262573242, 4.459531784057617)
    position = head(job)
    assert brought(job, "hf_trainer", SAMPLES / "hf-trainer" / "trainer_state.json").returncode == 0
    assert head(job) == position


def test_a_killed_import_goes_on(job, tmp_path):
    log = tmp_path / "metrics.jsonl"
    log.write_text("".join(json.dumps({"step": n, "data": {"a": n, "b": -n}}) + "\n" for n in range(LINES)))
    env = environment(**job.env, PYTHONPATH=str(ROOT / "sdk"))
    with subprocess.Popen(command("verl", log), env=env, stdout=subprocess.DEVNULL) as importer:
        until(lambda: series(job).get("a", {}).get("count", 0) >= 100, "some of the lines")
        importer.kill()
    assert 100 <= series(job)["a"]["count"] < LINES
    done = brought(job, "verl", log)
    assert (done.returncode, done.stdout) == (0, f"points {2 * LINES:,}\n"), done.stderr
    assert [(one["count"], one["last"]) for _, one in sorted(series(job).items())] == [
        (LINES, LINES - 1),
        (LINES, 1 - LINES),
    ]
    points = job.api.get(f"/api/runs/{job.run_id}", min_position=head(job))["counts"]["points"]
    assert points == 2 * LINES


def test_a_command_opens_a_job_of_its_own(api):
    env = environment(TUNEPLANE_SERVER=api.url, TUNEPLANE_TOKEN=api.token, PYTHONPATH=str(ROOT / "sdk"))
    words = command("hf_trainer", SAMPLES / "hf-trainer", "--job", "an old training")
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = re.search(r"/runs/(\S+)", done.stderr)
    assert found is not None
    run = api.get(f"/api/runs/{found[1]}", min_position=api.get("/readyz")["position"])
    assert (run["name"], run["tags"], run["counts"]["series"]) == ("an old training", ["hf-trainer", "imported"], 8)
    assert run["status"] == "created"  # how the training ended is not in its log
