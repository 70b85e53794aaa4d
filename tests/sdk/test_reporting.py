"""`tuneplane.report`: what a training script says arrives as it was meant."""

import json
import math
import time
from typing import Any

import pytest
from tuneplane import contract, report

from tests.sdk.conftest import TOKEN
from tests.sdk.ingest_stub import until


class Tensor:
    """What numpy, torch and others have in common."""

    def __init__(self, *numbers, dtype="float32"):
        self.numbers, self.dtype = numbers, dtype

    def numel(self):
        return len(self.numbers)

    def detach(self):
        return self

    def float(self):
        return self

    def mean(self):
        return Tensor(sum(self.numbers) / len(self.numbers))

    def item(self):
        assert len(self.numbers) == 1
        return self.numbers[0]


def test_points_and_hyperparameters_arrive(ingest, reporting):
    assert reporting.init(hparams={"lr": 1e-5, "model": {"layers": 2}}, monitor_hardware=False) is True
    reporting.log({"loss": 0.5, "tokens": 7}, step=1)
    reporting.log({"loss": 0.25}, step=2)
    reporting.finish()
    assert ingest.points() == [("loss", 1, 0.5), ("loss", 2, 0.25), ("tokens", 1, 7.0)]
    assert ingest.at("hparams")[0].document == {"run_id": "run-1", "params": {"lr": 1e-5, "model.layers": 2}}
    batch = ingest.at("metrics")[0]
    assert batch.headers["Authorization"] == f"Bearer {TOKEN}"
    assert batch.document["sequence"] == 1
    assert abs(batch.document["series"][0]["ts"][0] - time.time()) < 60


def test_log_works_without_init(ingest, reporting):
    reporting.log({"loss": 1.0}, step=3)
    reporting.finish()
    assert ingest.points() == [("loss", 3, 1.0)]


def test_a_step_left_out_is_the_one_after_the_last(ingest, reporting):
    for step in (None, None, 10, None):
        reporting.log({"loss": 1.0}, step=step)
    reporting.finish()
    assert [step for _, step, _ in ingest.points()] == [0, 1, 10, 11]


def test_a_later_smaller_step_is_kept(ingest, reporting):
    reporting.log({"loss": 1.0}, step=1000)
    reporting.log({"loss": 2.0}, step=5)
    reporting.finish()
    assert ingest.points() == [("loss", 1000, 1.0), ("loss", 5, 2.0)]


def test_nested_names_are_joined_arrays_count_as_their_mean_and_values_are_read_at_once(ingest, reporting):
    values: dict[str, Any] = {"a": {"b": {"c": 1}}, "one": Tensor(3.0), "many": Tensor(1.0, 3.0), "list": [1, 2, 6]}
    reporting.log(values, step=1, prefix="train/")
    values["a"]["b"]["c"] = 99
    reporting.finish()
    assert ingest.points() == [
        ("train/a.b.c", 1, 1.0), ("train/one", 1, 3.0), ("train/many", 1, 2.0), ("train/list", 1, 3.0)
    ]  # fmt: skip


def test_what_is_not_finite_travels_as_what_it_is(ingest, reporting):
    reporting.log({"loss": math.nan, "up": math.inf, "down": -math.inf, "fine": 1.0}, step=4)
    reporting.finish()
    series = {one["key"]: one for one in ingest.at("metrics")[0].document["series"]}
    assert [series[key]["invalid"][0]["kind"] for key in ("loss", "up", "down")] == ["nan", "pos_inf", "neg_inf"]
    assert series["loss"]["steps"] == series["loss"]["values"] == series["loss"]["ts"] == []
    assert series["loss"]["invalid"][0]["step"] == 4
    assert "invalid" not in series["fine"]


def test_what_is_no_number_is_counted_and_the_rest_arrives(ingest, reporting):
    bad: dict[str, Any] = {"text": "x", "none": None, "flag": True, "empty": [], "bool": Tensor(1, dtype="torch.bool")}
    reporting.log({**bad, "huge": 10**400, "a\x00b": 1.0, "k" * 513: 1.0, "": 1.0, "fine": 2.0}, step=0)
    reporting.log({"fine": 1.0, "also": 1.0}, step=-1)
    reporting.log("no dict", step=1)
    reporting.finish()
    assert ingest.points() == [("fine", 0, 2.0)]
    health = [event for event in ingest.events() if event["name"] == "invalid_metrics"]
    assert health[-1]["values"]["invalid"] == len(bad) + 4 + 2 + 1
    assert health[-1]["values"]["first_reason"]


def test_the_4097th_series_is_refused_here_so_that_the_others_are_not_refused_there(ingest, reporting):
    reporting.log({f"s{index}": 1.0 for index in range(contract.SERIES_PER_RUN + 3)}, step=1)
    reporting.finish()
    assert len(ingest.points()) == contract.SERIES_PER_RUN
    assert max(len(one.document["series"]) for one in ingest.at("metrics")) <= contract.POINTS_PER_BATCH


def test_batches_keep_the_limit_on_bytes_too(ingest, reporting):
    reporting.log({f"{index:04}" + "ß" * 508: 1.0 for index in range(2048)}, step=1)
    reporting.finish()
    assert len(ingest.points()) == 2048
    assert max(len(one.body) for one in ingest.at("metrics")) <= contract.METRICS_BODY_BYTES


def test_without_credentials_or_switched_off_nothing_happens(monkeypatch, reporting_to):
    assert report.init() is False
    report.log({"a": 1.0})
    assert report.observe("x") is False
    assert report.configure_observability() is False
    report.finish()
    reporting = reporting_to("http://127.0.0.1:9/api/ingest")
    monkeypatch.setenv("TUNEPLANE_JOB_ENABLED", "0")
    assert reporting.init() is False
    assert report._here.session is None


@pytest.mark.parametrize("wrong", [{"TUNEPLANE_JOB_ENABLED": "yes"}, {"TUNEPLANE_JOB_ENDPOINT": "ftp://x"}])
def test_wrong_settings_are_told_and_reporting_is_off(monkeypatch, reporting_to, wrong, caplog):
    reporting = reporting_to("http://127.0.0.1:9/api/ingest")
    for name, value in wrong.items():
        monkeypatch.setenv(name, value)
    assert reporting.init() is False
    reporting.log({"a": 1.0})
    assert len(caplog.messages) == 1


def test_hyperparameters_carry_no_secret(ingest, reporting):
    reporting.log_hparams(
        {"hub_token": "abc", "pad_token": "<pad>", "pad_token_id": 0, "db": "postgres://u:p@h/d", "nan": math.nan}
    )
    reporting.finish()
    params = ingest.at("hparams")[0].document["params"]
    assert params["hub_token"] == "[redacted]"
    assert params["db"] == "postgres://[redacted]@h/d"
    assert (params["pad_token"], params["pad_token_id"], params["nan"]) == ("<pad>", 0, "nan")


def test_local_files_take_the_place_of_http(tmp_path, monkeypatch, reporting_to, ingest):
    reporting = reporting_to(ingest.endpoint)
    monkeypatch.setenv("TUNEPLANE_OBSERVATION_DIR", str(tmp_path / "out"))
    assert reporting.init(hparams={"lr": 1}) is True
    reporting.log({"loss": 0.5, "bad": math.inf}, step=3)
    assert reporting.observe("x", values={"a": 1})
    assert reporting.configure_observability(capabilities=["agent"])
    until(lambda: list((tmp_path / "out").glob("*.sealed.jsonl")))
    reporting.finish()
    files = sorted((tmp_path / "out").iterdir())
    assert all(path.name.startswith("tp-python-") and path.name.endswith(".sealed.jsonl") for path in files)
    assert files[0].name.split("-")[-1] == "00000001.sealed.jsonl"
    lines = [json.loads(line) for path in files for line in path.read_text().splitlines()]
    assert {line["version"] for line in lines} == {1}
    channels = {line["channel"]: line["payload"] for line in lines}
    assert set(channels) == {"hparams", "metrics", "observation", "contract"}
    assert channels["metrics"]["values"] == {"loss": 0.5}
    assert channels["metrics"]["invalid"] == {"bad": "pos_inf"}
    assert channels["metrics"]["step"] == 3
    assert ingest.requests == []


def test_many_hyperparameters_come_in_several_requests(ingest, reporting):
    reporting.log_hparams({f"p{index}": "x" * 4000 for index in range(200)})
    reporting.finish()
    bodies = ingest.at("hparams")
    assert max(len(one.body) for one in bodies) <= contract.HPARAMS_BODY_BYTES
    assert sum(len(one.document["params"]) for one in bodies) == 200
