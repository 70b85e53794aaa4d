"""Rollouts of files that are there already."""

from __future__ import annotations

import shutil

import pytest
from tuneplane.integrations.nemo_folder import candidates, step_files
from tuneplane.integrations.nemo_import import main

from tests.sdk.conftest import job_env
from tests.sdk.nemo_logs import SAMPLES, a_sample, identity, written


@pytest.fixture
def _job(monkeypatch, ingest):
    for name, value in job_env(ingest.endpoint).items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(SAMPLES, tmp_path / "exp_001")


def run(folder, *more: str) -> int:
    return main([str(folder), "--settle", "0", *more])


@pytest.mark.usefixtures("_job")
def test_the_real_folder_arrives_as_counted_by_hand_and_again_the_same(folder, ingest, capsys):
    assert run(folder) == 0
    first = [one.document["trace"] for one in ingest.at("trajectory")]
    assert [one["diagnostic"] for one in first if one["scope"] == "training"] == [
        *("representative", "low_reward", "representative", "representative"),  # step 1
        *("representative", "low_reward", "representative", "anomaly"),  # step 2
    ]
    assert sum(one["scope"] == "validation" for one in first) == 8
    assert capsys.readouterr().out.splitlines() == [
        f"{name}: 4 samples: {unknown} without a valid reward, 1 low, {3 - unknown} ordinary, 0 unreadable; "
        f"{masked} left out of the loss; text of 4"
        for name, unknown, masked in (
            ("val_data_step1.jsonl", 0, 0),
            ("train_data_step1.jsonl", 0, 1),
            ("val_data_step2.jsonl", 1, 0),
            ("train_data_step2.jsonl", 1, 1),
        )
    ]
    sent, events = [one.body for one in ingest.requests], ingest.events()
    assert run(folder) == 0
    assert [one.body for one in ingest.requests[len(sent) :]] == sent
    assert [event["id"] for event in ingest.events()[len(events) :]] == [event["id"] for event in events]


@pytest.mark.usefixtures("_job")
def test_a_file_that_is_still_written_is_left_for_later(folder, ingest, capsys):
    last = folder / "train_data_step2.jsonl"
    whole = last.read_bytes()
    last.write_bytes(whole[:-40])
    assert run(folder) == 1
    assert {one.document["trace"]["round_id"].partition(":")[0] for one in ingest.at("trajectory")} == {
        "train_data_step1",
        "val_data_step1",
        "val_data_step2",
    }
    assert "1 files are still written" in capsys.readouterr().err
    last.write_bytes(whole)
    assert run(folder) == 0
    assert len({identity(one.document["trace"]) for one in ingest.at("trajectory")}) == 16


@pytest.mark.usefixtures("_job")
def test_a_file_cut_off_by_a_crash_gives_its_other_rows_once_a_later_step_is_there(folder, ingest, capsys):
    first = folder / "train_data_step1.jsonl"
    first.write_bytes(first.read_bytes()[:-40])
    assert run(folder) == 1
    assert "train_data_step1.jsonl: row 3: is cut off" in capsys.readouterr().err
    of_first = [one for one in ingest.at("trajectory") if b"train_data_step1:" in one.body]
    assert len(of_first) == 3


def test_a_file_of_the_last_step_that_grows_meanwhile_is_no_candidate(folder, monkeypatch):
    def grow(seconds: float) -> None:
        assert seconds == 7
        with (folder / "val_data_step2.jsonl").open("a") as file:
            file.write("{}\n")

    monkeypatch.setattr("time.sleep", grow)
    found = {one.file.path.name: one.over for one in candidates(step_files(folder), 7)}
    assert found == {"val_data_step1.jsonl": True, "train_data_step1.jsonl": True, "train_data_step2.jsonl": False}


@pytest.mark.usefixtures("_job")
def test_samples_kept_otherwise_are_told_and_the_rest_is_sent(folder, ingest, capsys):
    ingest.answer = lambda path, body: 409 if b'"row-1"' in body else 200
    assert run(folder) == 1
    assert len(ingest.at("trajectory")) == 12
    assert "train_data_step2.jsonl: 1 samples are kept already" in capsys.readouterr().err


@pytest.mark.usefixtures("_job")
def test_a_delivery_that_breaks_off_says_that_the_same_command_goes_on(folder, ingest, capsys):
    ingest.answer = lambda path, body: 401
    assert run(folder) == 3
    assert "the same command goes on" in capsys.readouterr().err


def test_a_dry_run_needs_no_job_and_sends_nothing(folder, capsys):
    assert run(folder, "--dry-run") == 0
    assert "train_data_step1.jsonl: 4 samples" in capsys.readouterr().out


@pytest.mark.usefixtures("_job")
def test_a_cap_of_zero_reads_no_file(folder, ingest, monkeypatch, capsys):
    monkeypatch.setenv("TUNEPLANE_JOB_ROLLOUT_UPLOAD_SAMPLES", "0")
    assert run(folder) == 0
    assert {one.document["trace"]["scope"] for one in ingest.at("trajectory")} == {"validation"}
    assert "train_data_step1.jsonl: not read, its cap is 0" in capsys.readouterr().out


def test_what_cannot_be_done_says_what_to_do(folder, tmp_path, monkeypatch, capsys):
    empty = tmp_path / "empty"
    empty.mkdir()
    assert run(folder) == 2
    assert "there is no job here (TUNEPLANE_JOB_*): --job NAME opens one" in capsys.readouterr().err
    assert run(folder, "--job", "x") == 2
    assert "a job of its own needs TUNEPLANE_SERVER and TUNEPLANE_TOKEN" in capsys.readouterr().err
    assert run(empty) == 2
    assert "holds no train_data_step*.jsonl" in capsys.readouterr().err
    assert run(tmp_path / "none") == 2
    assert "cannot be read" in capsys.readouterr().err
    monkeypatch.setenv("TUNEPLANE_JOB_ROLLOUT_UPLOAD_SAMPLES", "all")
    assert run(folder, "--dry-run") == 2
    assert "TUNEPLANE_JOB_ROLLOUT_UPLOAD_SAMPLES is 'all'" in capsys.readouterr().err


def test_of_the_life_of_a_job_of_its_own_nothing_is_said(tmp_path, ingest, monkeypatch, capsys):
    written(tmp_path, "train_data_step1.jsonl", [a_sample(0)])
    monkeypatch.setenv("TUNEPLANE_SERVER", ingest.url)
    monkeypatch.setenv("TUNEPLANE_TOKEN", "tp_pat_x")
    opened = {"run_id": "new", "token": "tp_ing_y", "endpoint": ingest.endpoint, "attempt": 0, "position": 1}
    ingest.answer = lambda path, body: (200, opened)
    assert run(tmp_path, "--job", "rollouts") == 0
    assert "/runs/new (attempt 0); to repeat: --run-id new\n" in capsys.readouterr().err
    ingest.answer = lambda path, body: (401 if path == "trajectory" else 200, opened)
    assert run(tmp_path, "--job", "rollouts") == 3
    assert ingest.at("lifecycle") == []
