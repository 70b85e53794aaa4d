"""A logger among those of NeMo-RL: what the driver process logs, and what it never notices."""

from __future__ import annotations

import logging
import math
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from tuneplane.integrations.nemo_rl import TunePlaneLogger, attach

from tests.sdk import nemo_logs
from tests.sdk.conftest import job_env
from tests.sdk.ingest_stub import Ingest, until
from tests.sdk.nemo_logs import Logger, a_sample, identity, written

SCRIPT = Path(nemo_logs.__file__)


@pytest.fixture
def logger(tmp_path, reporting) -> Logger:
    made = Logger(tmp_path)
    assert attach(made, monitor_hardware=False) is not None
    return made


def attached(logger: Logger) -> TunePlaneLogger:
    return logger.loggers[0]


class Array:
    """What numpy and torch look like from outside."""

    def __init__(self, *numbers: float) -> None:
        self._numbers = numbers
        self.size = len(numbers)

    def item(self) -> float:
        (only,) = self._numbers
        return only

    def mean(self) -> Array:
        return Array(sum(self._numbers) / len(self._numbers))

    def tolist(self) -> list[float]:
        return list(self._numbers)


def test_metrics_have_the_name_that_the_other_loggers_give_them(logger, ingest):
    logger.log_metrics({"loss": 0.5, "reward": Array(0.25)}, 3, "train")
    logger.log_metrics({"accuracy": Array(1.0, 0.0)}, 3, "validation")
    logger.log_metrics({"plain": 1}, 3)
    attached(logger).finish()
    assert sorted(ingest.points()) == [
        ("plain", 3, 1.0),
        ("train/loss", 3, 0.5),
        ("train/reward", 3, 0.25),
        ("validation/accuracy", 3, 0.5),
    ]


def test_metrics_with_a_step_axis_of_their_own_have_its_steps(logger, ingest, caplog):
    gpu = {"node.0.gpu.0.util": 90.0}
    logger.log_metrics({**gpu, "ray/ray_step": 40}, 2, "ray", "ray/ray_step")
    logger.log_metrics(gpu, 3, "ray", "ray/ray_step")  # it is not among them
    logger.log_metrics({**gpu, "ray/ray_step": 4.5}, 4, "ray", "ray/ray_step")
    attached(logger).finish()
    assert ingest.points() == [("ray/node.0.gpu.0.util", step, 90.0) for step in (40, 3, 4)]
    assert "ray/ray_step gives no step (the step is no whole number)" in caplog.text


def test_what_is_no_number_is_counted_and_nan_stays_nan(logger, ingest):
    logger.log_metrics({"loss": math.nan, "name": "x", "flag": True, "none": None, "ok": 1.0}, 1, "train")
    attached(logger).finish()
    assert ingest.points() == [("train/ok", 1, 1.0)]
    (series,) = [one for sent in ingest.at("metrics") for one in sent.document["series"] if one.get("invalid")]
    assert (series["key"], [one["kind"] for one in series["invalid"]]) == ("train/loss", ["nan"])
    (health,) = [one for one in ingest.events() if one["name"] == "invalid_metrics"]
    assert health["values"]["invalid"] == 3


def test_hyperparameters_and_histograms_are_reported_and_plots_are_not(logger, ingest, caplog):
    one = attached(logger)
    one.log_hyperparams({"grpo": {"lr": 1e-5}})
    one.log_histogram(Array(0.0, 1.0, 2.0, math.nan), 4, "train/lengths")
    one.log_histogram([3, 3], 4, "same")
    one.log_histogram([0] * 65_537, 4, "many")
    one.log_histogram(["a"], 4, "text")
    one.log_plot(object(), 4, "curve")
    one.log_plot(object(), 5, "curve")
    one.finish()
    assert [sent.document["params"] for sent in ingest.at("hparams")] == [{"grpo.lr": 1e-5}]
    found = {event["name"]: event for event in ingest.events() if event["kind"] == "histogram"}
    assert set(found) == {"train/lengths", "same"}
    lengths = found["train/lengths"]
    assert (lengths["bounds"], lengths["counts"]) == ([0.0, 1.0, 2.0], [1, 1, 1, 0])
    assert lengths["values"] == {"invalid": 1}
    assert (found["same"]["bounds"], found["same"]["counts"]) == ([3.0], [2, 0])
    assert caplog.text.count("plots are not kept") == 1
    assert "many: a histogram of 65,537 values is left out" in caplog.text


def test_a_finished_step_hands_its_files_over_and_the_first_also_the_validation_before(logger, ingest, tmp_path):
    for name in ("val_data_step0", "train_data_step1", "val_data_step1", "train_data_step2", "train_data_step3"):
        written(tmp_path, f"{name}.jsonl", [a_sample(0)])
    logger.log_metrics({"loss": 1.0}, 1, "train")
    logger.log_metrics({"total": 1.0}, 1, "timing/train", None, step_finished=True)
    logger.log_metrics({"total": 1.0}, 2, "timing/train", None, step_finished=True)
    attached(logger).finish()
    traces = [one.document["trace"] for one in ingest.at("trajectory")]
    assert [(one["scope"], one["step"]) for one in traces] == [
        ("validation", 0),
        ("validation", 1),
        ("training", 1),
        ("training", 2),
    ]
    samples = [event for event in ingest.events() if event["name"] == "rollout/samples"]
    assert [(event["step"], event["values"]["chosen"]) for event in samples] == [(0, 1), (1, 1), (1, 1), (2, 1)]
    assert not [one for one in traces if {"collection_policy", "consumption_policy"} & set(one)]


def test_a_step_without_a_file_is_said_once(logger, caplog):
    for step in (1, 2):
        logger.log_metrics({}, step, "timing/train", step_finished=True)
    attached(logger).finish()
    assert caplog.text.count("there is no ") == 1


@pytest.mark.parametrize(
    ("training", "validation", "sent"), [("0", None, 4), (None, "0", 4), ("0", "0", 0), ("2", "1", 3)]
)
def test_each_cap_lowers_its_own_text_and_zero_switches_it_off(
    monkeypatch, reporting, ingest, tmp_path, training, validation, sent
):
    for name, value in (("ROLLOUT", training), ("VAL", validation)):
        if value is not None:
            monkeypatch.setenv(f"TUNEPLANE_JOB_{name}_UPLOAD_SAMPLES", value)
    for kind in ("train", "val"):
        written(tmp_path, f"{kind}_data_step1.jsonl", (a_sample(n) for n in range(4)))
    one = TunePlaneLogger(tmp_path, monitor_hardware=False)
    one.log_metrics({}, 1, step_finished=True)
    one.finish()
    assert len(ingest.at("trajectory")) == sent
    read = [event["values"]["source"][:5] for event in ingest.events() if event["name"] == "rollout/samples"]
    assert read == [kind for kind, cap in (("val_d", validation), ("train", training)) if cap != "0"]


def test_a_cap_that_cannot_be_read_sends_no_text_and_says_so(monkeypatch, reporting, ingest, tmp_path, caplog):
    monkeypatch.setenv("TUNEPLANE_JOB_ROLLOUT_UPLOAD_SAMPLES", "few")
    written(tmp_path, "train_data_step1.jsonl", [a_sample(0)])
    one = TunePlaneLogger(tmp_path, monitor_hardware=False)
    one.log_metrics({"loss": 1.0}, 1, step_finished=True)
    one.finish()
    assert ingest.at("trajectory") == []
    assert ingest.points() == [("loss", 1, 1.0)]
    assert "TUNEPLANE_JOB_ROLLOUT_UPLOAD_SAMPLES is 'few'" in caplog.text


def test_without_a_job_or_a_folder_the_training_goes_on_and_nothing_is_read(tmp_path, reporting_to, ingest):
    home = TunePlaneLogger(tmp_path, monitor_hardware=False)
    home.log_metrics({"loss": 1.0}, 1, step_finished=True)
    assert home.rollouts is None
    reporting_to(ingest.endpoint)
    assert TunePlaneLogger(None, monitor_hardware=False).rollouts is None


def test_nothing_that_the_trainer_hands_over_raises_into_it(logger, caplog):
    one: Any = attached(logger)
    one.log_metrics(None, 1)
    one.log_metrics({"a": 1}, "x", step_finished=True)
    one.log_histogram(None, 1, "a")
    one.log_hyperparams(None)
    assert attach(object()) is None
    assert "nothing is reported of this NeMo-RL run: AttributeError" in caplog.text


def training(folder: Path, ingest: Ingest, steps: int, samples: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(SCRIPT), str(folder), str(steps), str(samples)]
    return subprocess.Popen(command, env=process_env(ingest), stdout=subprocess.PIPE, text=True)


def process_env(ingest: Ingest) -> dict[str, str]:
    path = ":".join(sys.path)
    return {"PYTHONPATH": path, "TUNEPLANE_JOB_ROLLOUT_UPLOAD_SAMPLES": "8", **job_env(ingest.endpoint)}


def test_a_real_training_process_ends_with_its_rollouts_sent(tmp_path, ingest):
    with training(tmp_path, ingest, 3, 40) as process:
        assert process.stdout.read() == "over\n"
    assert process.returncode == 0
    traces = [one.document["trace"] for one in ingest.at("trajectory")]
    assert [one["step"] for one in traces] == [1] * 8 + [2] * 8 + [3] * 8
    assert {one["diagnostic"] for one in traces} == {"low_reward", "representative"}


def test_what_a_killed_training_did_not_send_the_command_sends_and_nothing_stands_twice(tmp_path, ingest):
    held, taken = threading.Event(), []

    def answer(path: str, body: bytes) -> int:
        if path == "trajectory":
            taken.append(body)
            if len(taken) > 5:
                held.wait(60)
        return 200

    ingest.answer = answer
    with training(tmp_path, ingest, 3, 40) as process:
        assert process.stdout.readline() == "over\n"  # the steps were not held up
        until(lambda: len(taken) > 5)
        process.send_signal(signal.SIGKILL)
    held.set()
    before = len(ingest.at("trajectory"))
    assert before < 24
    command = [sys.executable, "-m", "tuneplane.integrations.nemo_rl", str(tmp_path), "--settle", "0"]
    for _ in range(2):
        done = subprocess.run(command, env=process_env(ingest), capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
    bodies: dict[str, set[str]] = {}
    for one in ingest.at("trajectory"):
        bodies.setdefault(identity(one.document["trace"]), set()).add(repr(one.document["trace"]))
    assert len(bodies) == 24
    assert {len(one) for one in bodies.values()} == {1}


@pytest.fixture(autouse=True)
def _warnings_are_heard(caplog):
    caplog.set_level(logging.WARNING, "tuneplane")
