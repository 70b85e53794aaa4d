"""`Reporter`: one request a call, delivered when it returns; and the trainer's callback."""

import json
import math
from types import SimpleNamespace

import pytest
from tuneplane.report import TunePlaneCallback
from tuneplane.reporter import Reporter, ReporterError, from_env

from tests.sdk.conftest import TOKEN, job_env
from tests.sdk.ingest_stub import CUT, a_dead_server

NOW = "2026-01-01T00:00:00+00:00"


@pytest.fixture
def reporter(ingest):
    with Reporter(ingest.endpoint, "run-1", TOKEN, retry_delay=0.001) as one:
        yield one


def test_each_call_is_one_request_with_the_run(ingest, reporter):
    calls = [
        (lambda: reporter.lifecycle("running"), "lifecycle"),
        (lambda: reporter.artifact("checkpoint", "s3://b/k", format="safetensors", step=3), "artifact"),
        (lambda: reporter.metrics_points([{"key": "a", "step": 1, "value": 2.0, "ts": NOW}]), "metrics"),
        (lambda: reporter.validation(4, [{"idx": 0, "user": "q", "assistant": "a"}], accuracy=1.0), "validation"),
        (lambda: reporter.hardware([{"hostname": "h", "pid": 1, "ts": NOW, "metrics": {}}]), "hardware"),
        (lambda: reporter.hparams({"lr": 1}), "hparams"),
        (lambda: reporter.environment_nodes([{"node_id": "n"}]), "environment/nodes"),
        (lambda: reporter.observations({"events": []}), "observations"),
        (lambda: reporter.trajectory({"scope": "training"}), "trajectory"),
        (lambda: reporter.trajectory(scope="training", round_id="r"), "trajectory"),
        (lambda: reporter.logs(["a\n", "b"]), "logs"),
        (lambda: reporter.logs([], eof=True), "logs"),
        (lambda: reporter.benchmark("lm-eval", "m", [{"benchmark": "b", "metric": "acc", "value": 1}]), "benchmark"),
    ]
    for call, _ in calls:
        assert call() is True
    assert [one.path for one in ingest.requests] == [path for _, path in calls]
    assert {one.document["run_id"] for one in ingest.requests} == {"run-1"}
    bodies = [one.document for one in ingest.requests]
    assert bodies[2] == {"run_id": "run-1", "points": [{"key": "a", "step": 1, "value": 2.0, "ts": NOW}]}
    assert (bodies[3]["chunk_index"], bodies[3]["total_chunks"], bodies[3]["accuracy"]) == (0, 1, 1.0)
    assert bodies[7] == {"run_id": "run-1", "events": [], "contract": None}
    assert bodies[9]["trace"] == {"scope": "training", "round_id": "r"}
    assert [body["sequence"] for body in bodies[10:12]] == [1, 2]
    assert bodies[10]["stream"] == bodies[11]["stream"] != bodies[4]["stream"]
    assert len({one.headers["Authorization"] for one in ingest.requests}) == 1


def test_a_transient_failure_is_tried_again_with_the_same_bytes(ingest, reporter):
    answers = iter([CUT, 503, 200])
    ingest.answer = lambda path, body: next(answers)
    assert reporter.logs(["piece"]) is True
    assert len({one.body for one in ingest.requests}) == 1
    assert len(ingest.requests) == 3


def test_the_last_try_raises_and_says_why(ingest, reporter):
    ingest.answer = lambda path, body: 500
    with pytest.raises(ReporterError, match="HTTP 500") as raised:
        reporter.lifecycle("running")
    assert len(ingest.requests) == 3
    assert (raised.value.status, raised.value.transient) == (500, True)


def test_a_refusal_is_not_tried_again_and_shows_no_token(ingest, reporter):
    ingest.answer = lambda path, body: (403, {"title": "Forbidden", "detail": f"token {TOKEN} is revoked"})
    with pytest.raises(ReporterError, match="revoked") as raised:
        reporter.lifecycle("running")
    assert len(ingest.requests) == 1
    assert TOKEN not in str(raised.value)
    assert TOKEN not in repr(reporter)


def test_what_is_not_json_is_refused_here(ingest, reporter):
    for value in (math.nan, object()):
        with pytest.raises(ReporterError, match="JSON"):
            reporter.hparams({"a": value})
    assert ingest.requests == []


def test_a_dead_server_is_an_error_that_names_no_token():
    with a_dead_server() as endpoint, Reporter(endpoint, "r", TOKEN, retry_delay=0.001) as reporter:
        with pytest.raises(ReporterError, match="no answer") as raised:
            reporter.lifecycle("running")
        assert raised.value.status == 0


def test_credentials_come_from_the_environment():
    env = job_env("http://127.0.0.1:9/api/ingest")
    found = from_env({**env, "TUNEPLANE_JOB_ATTEMPT": "2"})
    assert found is not None
    assert (found.run_id, found.attempt) == ("run-1", 2)
    assert from_env({"TUNEPLANE_JOB_ENABLED": "0"}) is None
    for wrong in ({**env, "TUNEPLANE_JOB_ENABLED": "true"}, {}, {**env, "TUNEPLANE_JOB_ATTEMPT": "x"}):
        with pytest.raises(ReporterError):
            from_env(wrong)
    with pytest.raises(ReporterError) as raised:
        from_env({"TUNEPLANE_JOB_ENABLED": "1"})
    with pytest.raises(ReporterError, match="is not set: start the program with `tuneplane run -- CMD`"):
        from_env({})
    for name in ("TUNEPLANE_JOB_ENDPOINT", "TUNEPLANE_JOB_RUN_ID", "TUNEPLANE_JOB_TOKEN"):
        assert name in str(raised.value)


def a_state(step=1, *, leads=True):
    return SimpleNamespace(global_step=step, is_world_process_zero=leads)


def test_the_callback_reports_what_a_trainer_logs_and_evaluation_once(ingest, reporting):
    callback = TunePlaneCallback(monitor_hardware=False, prefix="hf/")
    args = SimpleNamespace(to_dict=lambda: {"learning_rate": 1e-5, "hub_token": "secret"})
    callback.on_init_end(args, a_state(), None)
    callback.on_train_begin(args, a_state(0), None, model=object())
    callback.on_log(args, a_state(1), None, logs={"loss": 0.5, "note": "text"})
    callback.on_log(args, a_state(1), None, logs={"eval_loss": 0.25, "epoch": 1.0})
    callback.on_evaluate(args, a_state(1), None, metrics={"eval_loss": 0.25, "epoch": 1.0, "eval_extra": 2.0})
    callback.on_log(args, a_state(2), None, logs={"loss": math.nan})
    callback.on_log(args, a_state(3, leads=False), None, logs={"loss": 9.0})
    callback.on_evaluate(args, a_state(3, leads=False), None, metrics={"eval_loss": 9.0})
    callback.on_train_end(args, a_state(2), None)
    reporting.finish()
    assert sorted(ingest.points()) == [
        ("hf/epoch", 1, 1.0), ("hf/eval_extra", 1, 2.0), ("hf/eval_loss", 1, 0.25), ("hf/loss", 1, 0.5)
    ]  # fmt: skip
    loss = next(one for one in ingest.at("metrics")[-1].document["series"] if one["key"] == "hf/loss")
    assert [(one["step"], one["kind"]) for one in loss["invalid"]] == [(2, "nan")]
    assert json.loads(ingest.at("hparams")[0].body)["params"]["hub_token"] == "[redacted]"
    assert not hasattr(callback, "something_else")
