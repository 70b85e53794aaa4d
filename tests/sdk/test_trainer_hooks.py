"""The hooks of trainers whose packages are not here: what they ask of a trainer, and what they never do to it."""

import argparse
import importlib
import math
import sys
import types
from pathlib import Path
from types import SimpleNamespace as Named
from typing import Any

import pytest
from tuneplane.integrations.accelerate_tracker import Tracking
from tuneplane.integrations.lightning_logger import Logging
from tuneplane.integrations.openrlhf import TunePlaneLogger
from tuneplane.integrations.rollout_uploads import rollout_uploader
from tuneplane.integrations.trl_completions import TrlCompletionsCallback
from tuneplane.integrations.trl_table import Logged, read_rows
from tuneplane.reporter import Reporter
from tuneplane.rollouts.uploader import Uploader

from tests.sdk.conftest import job_env

MODULES = ("accelerate_tracker", "lightning_logger", "openrlhf", "trl_completions", "verl", "hf_trainer")


@pytest.fixture
def reporter(ingest):
    with Reporter(ingest.endpoint, "run-1", "t", max_attempts=1) as made:
        yield made


@pytest.mark.parametrize("module", MODULES)
def test_a_hook_is_imported_without_its_framework(module):
    importlib.import_module(f"tuneplane.integrations.{module}")


@pytest.mark.parametrize("module", ["accelerate_tracker", "lightning_logger"])
def test_a_class_that_needs_its_framework_says_which_one_is_missing(module):
    name = {"accelerate_tracker": "TunePlaneTracker", "lightning_logger": "TunePlaneLogger"}[module]
    with pytest.raises(ModuleNotFoundError, match=r"accelerate|lightning"):
        getattr(importlib.import_module(f"tuneplane.integrations.{module}"), name)
    with pytest.raises(AttributeError):
        _ = importlib.import_module(f"tuneplane.integrations.{module}").Unheard


def test_a_tracker_that_finds_no_state_of_a_main_process_reports_nothing(ingest, reporting):
    tracker = Tracking(monitor_hardware=False)
    tracker.start()
    tracker.store_init_configuration({"lr": 1.0})
    tracker.log({"loss": 1.0}, step=1)
    tracker.finish()
    reporting.finish()
    assert ingest.requests == []


def test_a_lightning_logger_reports_numbers_and_masks_secrets(ingest, reporting):
    logger = Logging(monitor_hardware=False, prefix="fit/")
    logger.log_hyperparams(argparse.Namespace(lr=0.5, api_key="sk-1"))
    logger.log_metrics({"loss": 2.0, "bad": math.nan}, step=3)
    reporting.finish()
    assert ingest.at("hparams")[0].document["params"] == {"lr": 0.5, "api_key": "[redacted]"}
    assert ingest.points() == [("fit/loss", 3, 2.0)]
    assert (logger.name, logger.version) == ("tuneplane", "run-1")


def test_a_lightning_logger_reports_nothing_from_another_rank(ingest, reporting, monkeypatch):
    rank_zero = types.SimpleNamespace(rank_zero_only=types.SimpleNamespace(rank=1))
    monkeypatch.setitem(sys.modules, "lightning_utilities.core.rank_zero", rank_zero)
    logger = Logging(monitor_hardware=False)
    logger.log_hyperparams({"lr": 0.5})
    logger.log_metrics({"loss": 2.0}, step=3)
    reporting.finish()
    assert ingest.requests == []


class TestOpenRlhf:
    def test_names_and_steps_are_those_of_its_own_loggers(self, ingest, reporting):
        args = types.SimpleNamespace(lr=1.0, logger=types.SimpleNamespace(wandb=types.SimpleNamespace(key="secret")))
        logger = TunePlaneLogger(args, monitor_hardware=False)
        logger.log_train(4, {"policy_loss": 0.5, "kl": None, "generated_samples": ("2+2? 4", 1.0)})
        logger.log_train(5, {"policy_loss": math.nan, "generated_samples": ["broken"]})
        logger.log_eval(5, {"eval_gsm8k_pass1": 0.25})
        logger.close()
        assert ingest.points() == [("train/policy_loss", 4, 0.5), ("eval/eval_gsm8k_pass1", 5, 0.25)]
        invalid = {s["key"]: s["invalid"] for r in ingest.at("metrics") for s in r.document["series"] if "invalid" in s}
        assert [(key, one[0]["step"], one[0]["kind"]) for key, one in invalid.items()] == [
            ("train/policy_loss", 5, "nan")
        ]
        assert [event for event in ingest.events() if event["name"] == "invalid_metrics"] == []  # None is left out
        assert ingest.at("hparams")[0].document["params"] == {"lr": 1.0, "logger.wandb.key": "[redacted]"}
        (text,) = [one.document["trace"] for one in ingest.at("trajectory")]
        assert text["messages"] == [{"role": "assistant", "content": "2+2? 4"}]
        assert (text["round_id"], text["reward"], text["roles_inferred"]) == ("training-step-4", 1.0, True)
        assert text["capture_policy"] == "sampled"
        assert "source_rows" not in text  # of how many it is one, nobody said

    def test_nothing_it_is_given_stops_the_training(self, ingest, reporting):
        logger = TunePlaneLogger(object(), monitor_hardware=False)
        broken: Any = (None, 3, {"generated_samples": (object(), "much")}, {"a": object()})
        for logs in broken:
            logger.log_train(-1, logs)
            logger.log_eval("x", logs)  # type: ignore[arg-type]
        logger.close()


class TestUploader:
    def test_without_a_job_with_a_fault_in_it_or_without_text_there_is_none(self, monkeypatch, caplog):
        assert rollout_uploader(list) is None
        monkeypatch.setenv("TUNEPLANE_JOB_ENABLED", "1")
        assert rollout_uploader(list) is None
        assert "are missing" in caplog.text
        for name, value in job_env("http://127.0.0.1:9").items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("TUNEPLANE_JOB_ROLLOUT_UPLOAD_SAMPLES", "0")
        assert rollout_uploader(list) is None
        monkeypatch.setenv("TUNEPLANE_JOB_ROLLOUT_UPLOAD_SAMPLES", "few")
        assert rollout_uploader(list) is None
        assert "whole number from 0" in caplog.text


def send(reporter, rows, logged):
    """As the background does."""
    uploader = Uploader[int](reporter, lambda _: [read_rows(rows, logged)], lambda *_: None)
    uploader.put(logged.step)
    uploader.close()


class Taking:
    """In place of the queue: what was put."""

    def __init__(self) -> None:
        self.works: list[Any] = []

    def put(self, work):
        self.works.append(work)
        return True


TRAINED = {"loss": 0.0, "rewards/length/mean": 1.0}
EVALUATED = {"eval_loss": 0.0, "eval_rewards/length/mean": 1.0}


class TestTrl:
    @pytest.fixture
    def trainer(self, tmp_path):
        (tmp_path / "completions").mkdir()
        return Named(output_dir=str(tmp_path), log_completions=True, per_device_eval_batch_size=4, num_generations=2)

    @pytest.fixture
    def hook(self):
        made = TrlCompletionsCallback()
        made._begun, made._uploader = True, Taking()  # type: ignore[assignment]
        return made

    def write(self, trainer, step):
        folder = Path(trainer.output_dir) / "completions"
        (folder / f"completions_{step:05d}.parquet").write_bytes(b"table")

    def test_the_file_is_taken_at_the_event_after_the_log_and_once(self, trainer, hook):
        state = Named(global_step=3, is_world_process_zero=True)
        hook.on_log(trainer, state, None, logs=TRAINED)
        self.write(trainer, 3)
        assert hook._uploader.works == []
        hook.on_step_begin(trainer, state, None)
        hook.on_step_end(trainer, state, None)
        hook.on_log(trainer, state, None, logs=TRAINED)
        hook.on_train_end(trainer, state, None)
        assert len(hook._uploader.works) == 1

    def test_the_summary_of_a_training_other_ranks_and_a_trainer_without_completions_have_none(self, trainer, hook):
        self.write(trainer, 3)
        first, other = (
            Named(global_step=3, is_world_process_zero=True),
            Named(global_step=3, is_world_process_zero=False),
        )
        hook.on_log(trainer, first, None, logs={"train_runtime": 1.0})
        hook.on_log(trainer, other, None, logs=TRAINED)
        hook.on_log(Named(output_dir=trainer.output_dir), first, None, logs=TRAINED)
        hook.on_log(Named(output_dir=trainer.output_dir, log_completions=True), Named(), None, logs=TRAINED)
        hook.on_train_end(trainer, first, None)
        assert hook._uploader.works == []

    def test_of_an_evaluation_only_the_rows_that_are_surely_its_own_are_taken(self, trainer, hook):
        state = Named(global_step=3, is_world_process_zero=True)
        for _ in range(3):
            hook.on_prediction_step(trainer, state, None)
        hook.on_log(trainer, state, None, logs=EVALUATED)
        assert (hook._next.evaluation, hook._next.rows) == (True, 10)  # two batches of 4, a group of 2 of the third
        hook.on_log(trainer, state, None, logs=EVALUATED)
        assert hook._next.rows == 0

    def test_a_file_that_is_not_there_is_said_once_and_stops_nothing(self, trainer, hook, caplog):
        for step in (3, 4):
            hook.on_log(trainer, Named(global_step=step, is_world_process_zero=True), None, logs=TRAINED)
            hook.on_step_end(trainer, None, None)
        assert len(caplog.messages) == 1
        with pytest.raises(AttributeError):
            _ = hook.other

    def test_the_reward_is_the_weighted_sum_of_what_was_said(self, ingest, reporting, reporter):
        rows: list[dict[str, Any]] = [
            {"step": 3, "prompt": "p", "completion": "c", "a": 1.0, "b": 4.0, "advantage": 0.5},
            {"step": 3, "prompt": "p", "completion": "d", "a": 1.0, "b": None, "advantage": -0.5},
            {"step": 3, "prompt": "p", "completion": "e", "a": math.nan, "b": None, "advantage": math.nan},
        ]
        send(reporter, rows, Logged(3, False, Path(), ("a", "b"), (1.0, 0.5), None))
        reporting.finish()
        traces = [one.document["trace"] for one in ingest.at("trajectory")]
        assert [(one.get("reward"), one["diagnostic"]) for one in traces] == [
            (3.0, "representative"),
            (1.0, "representative"),
            (None, "anomaly"),
        ]
        assert {one["capture_policy"] for one in traces} == {"sampled"}
        found = {
            e["name"]: (e["bounds"], e["counts"], e["values"]) for e in ingest.events() if e["kind"] == "histogram"
        }
        assert found == {
            "rollout/a": ([1.0], [2, 0], {"rows": 3, "without_value": 1}),
            "rollout/advantage": ([-0.5, 0.5], [1, 1, 0], {"rows": 3, "without_value": 1}),
            "rollout/b": ([4.0], [1, 0], {"rows": 3, "without_value": 2}),
        }

    def test_an_evaluation_becomes_samples_of_a_round_whose_size_is_not_known(self, ingest, reporting, reporter):
        rows: list[dict[str, Any]] = [
            {"step": 3, "prompt": "p", "completion": f"c{at}", "a": 1.0 * at, "advantage": math.nan} for at in range(4)
        ]
        send(reporter, rows, Logged(3, True, Path(), ("a",), (1.0,), 2))
        (sent,) = [one.document for one in ingest.at("validation")]
        assert "total_samples" not in sent
        assert [(one["assistant"], one["reward"], one["extra"]["advantage"]) for one in sent["samples"]] == [
            ("c2", 2.0, "nan"),
            ("c3", 3.0, "nan"),
        ]
        send(reporter, rows, Logged(4, True, Path(), ("a",), (1.0,), 0))
        assert len(ingest.at("validation")) == 1
        assert ingest.at("trajectory") == []

    def test_an_unknown_aggregation_leaves_the_reward_unknown(self, ingest, reporting, reporter, trainer, hook):
        args = Named(**vars(trainer), multi_objective_aggregation="normalize_then_sum")
        hook.on_log(args, Named(global_step=3, is_world_process_zero=True), None, logs=TRAINED)
        assert hook._next.weights is None
        send(reporter, [{"prompt": "p", "completion": "c", "length": 1.0}], hook._next)
        assert "reward" not in ingest.at("trajectory")[0].document["trace"]
