"""The hooks in trainings by the real packages, which live in an environment of their own (see tests/environments.py).

Everything runs on the CPU, offline, with random weights. Skipped, loudly, where the packages cannot be had.
"""

import json
import subprocess
from pathlib import Path

import pytest
from tuneplane.integrations import hf_trainer

from tests.environments import clean_variables, environment
from tests.sdk.conftest import job_env

SDK = Path(__file__).parents[2] / "sdk"
TRAININGS = Path(__file__).parent / "trainings"
PACKAGES = ("torch==2.13.0", "transformers==5.24.0", "trl==1.16.0", "accelerate==1.15.0", "lightning==2.6.6")
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
SUMMARY = ("train_runtime", "train_samples_per_second", "train_steps_per_second", "total_flos", "train_loss")

pytestmark = pytest.mark.packages


@pytest.fixture(scope="session")
def python() -> Path:
    return environment("trainers", *PACKAGES)


@pytest.fixture
def train(python, ingest, tmp_path):
    def run(*words: str) -> str:
        done = subprocess.run(
            [python, *words, tmp_path / "output"],
            env=clean_variables(PYTHONPATH=str(SDK), **OFFLINE, **job_env(ingest.endpoint)),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def steps(ingest, key):
    return [step for name, step, _ in ingest.points() if name == key]


def invalid(ingest):
    return sorted(
        (series["key"], one["step"], one["kind"])
        for request in ingest.at("metrics")
        for series in request.document["series"]
        for one in series.get("invalid", [])
    )


def test_a_trainer_on_two_processes_reports_each_number_once_and_its_state_says_the_same(
    train, ingest, tmp_path, monkeypatch
):
    said = train("-m", "torch.distributed.run", "--nproc-per-node", "2", str(TRAININGS / "trainer.py"))
    assert "rank 0 of 2 has ended" in said
    assert "rank 1 of 2 has ended" in said
    assert len({one.document["stream"] for one in ingest.at("metrics")}) == 1  # one process reported
    assert len(ingest.at("hparams")) == 1
    assert steps(ingest, "loss") == [2, 4, 6]
    assert steps(ingest, "learning_rate") == [2, 4, 6, 8]
    assert steps(ingest, "eval_loss") == [4]
    assert steps(ingest, "eval_runtime") == [4, 8]
    assert invalid(ingest) == [(key, 8, "nan") for key in ("eval_loss", "grad_norm", "loss", "train_loss")]
    params = ingest.at("hparams")[0].document["params"]
    assert (params["hub_token"], params["run_name"]) == ("[redacted]", "postgres://[redacted]@host/db")
    assert (params["max_steps"], params["per_device_train_batch_size"]) == (8, 2)

    live = sorted(ingest.points()), invalid(ingest)
    ingest.requests.clear()
    for name, value in job_env(ingest.endpoint).items():
        monkeypatch.setenv(name, value)
    assert hf_trainer.main([str(tmp_path / "output")]) == 0
    assert (sorted(ingest.points()), invalid(ingest)) == live


def test_the_completions_of_grpo_are_kept_with_their_rewards(train, ingest):
    train(str(TRAININGS / "grpo.py"))
    assert steps(ingest, "rewards/length/mean") == [1, 2]
    assert steps(ingest, "eval_rewards/length/mean") == [2]
    traces = [one.document["trace"] for one in ingest.at("trajectory")]
    assert [(one["step"], one["trial_id"]) for one in traces] == [(n, f"row-{row}") for n in (1, 2) for row in range(4)]
    for at, one in enumerate(traces):
        asked, answered = one["messages"]
        assert (asked["role"], answered["role"], one["roles_inferred"]) == ("user", "assistant", True)
        assert len(asked["content"].split()) == 2
        assert one["reward"] == len(answered["content"].split()) - (0 if at % 2 else 0.5)
    found = {(e["name"], e["step"]): e for e in ingest.events() if e["kind"] == "histogram"}
    assert sorted(found) == sorted(
        (f"rollout/{name}", step) for name in ("length", "every_other", "advantage") for step in (1, 2)
    )
    assert found["rollout/every_other", 1]["values"] == {"rows": 4, "without_value": 2}
    assert sum(found["rollout/advantage", 2]["counts"]) == 4
    (evaluated,) = [one.document for one in ingest.at("validation")]
    assert (evaluated["step"], "total_samples" in evaluated) == (2, False)  # its table holds 4 of 8 completions
    assert [sorted(one["extra"]) for one in evaluated["samples"]] == [
        ["advantage", "every_other", "length", "step"]
    ] * 4


def test_accelerate_and_lightning_report_through_their_own_loggers(train, ingest):
    assert "the tracker is tuneplane.report" in train(str(TRAININGS / "loops.py"))
    found: dict[str, list[tuple[int, float]]] = {}
    for key, step, value in ingest.points():
        found.setdefault(key, []).append((step, value))
    assert found["accelerate/loss"] == [(0, 1.0), (1, 0.5), (2, pytest.approx(1 / 3))]
    assert invalid(ingest) == [("accelerate/bad", step, "nan") for step in range(3)]
    assert "accelerate/note" not in found
    assert [step for step, _ in found["lightning/train_loss"]] == list(range(8))  # 2 epochs of 4 batches
    assert found["lightning/val_mean"] == [(3, 3.5), (7, 3.5)]
    params: dict[str, object] = {}
    for request in ingest.at("hparams"):
        params |= request.document["params"]
    assert params == {"lr": 0.5, "api_key": "[redacted]", "hub_token": "[redacted]"}
    assert json.loads(ingest.at("hparams")[0].body)["run_id"] == "run-1"
