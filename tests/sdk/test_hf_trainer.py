"""A Hugging Face trainer's own log, read from its file. Counts are those of a hand count of the sample."""

import json
from pathlib import Path

import pytest
from tuneplane.integrations import hf_trainer

from tests.sdk.conftest import job_env

SAMPLE = Path(__file__).parents[1] / "samples" / "hf-trainer" / "trainer_state.json"


@pytest.fixture
def job(monkeypatch, ingest):
    for name, value in job_env(ingest.endpoint).items():
        monkeypatch.setenv(name, value)
    return ingest


def write(folder, step, *log):
    folder.mkdir(exist_ok=True, parents=True)
    (folder / "trainer_state.json").write_text(json.dumps({"global_step": step, "log_history": log}))


def test_every_number_of_the_log_becomes_a_point_of_its_step(job, capsys):
    assert hf_trainer.main([str(SAMPLE)]) == 0
    found = job.points()
    assert len(found) == 4 * 4 + 2 * 5
    assert [(step, value) for key, step, value in found if key == "eval_loss"] == [
        (10, 4.460305213928223),
        (20, 4.459531784057617),
    ]
    assert "step" not in {key for key, _, _ in found}
    assert job.at("hparams")[0].document["params"] == {
        "max_steps": 20,
        "num_train_epochs": 3,
        "train_batch_size": 8,
        "logging_steps": 5,
        "eval_steps": 10,
        "save_steps": 10,
    }
    assert capsys.readouterr().out == f"{SAMPLE} (step 20): points 26\n"


def test_the_state_with_the_greatest_step_holds_the_log_of_all_before_it(job, tmp_path, capsys):
    write(tmp_path / "checkpoint-9", 9, {"step": 9, "loss": 1.0})
    write(tmp_path / "checkpoint-10", 10, {"step": 9, "loss": 1.0}, {"step": 10, "loss": 0.5})
    assert hf_trainer.main([str(tmp_path)]) == 0
    assert job.points() == [("loss", 9, 1.0), ("loss", 10, 0.5)]
    assert "checkpoint-10" in capsys.readouterr().out


def test_what_is_not_finite_is_kept_as_invalid_and_what_is_no_number_is_counted(job, tmp_path, capsys):
    (tmp_path / "trainer_state.json").write_text(
        '{"global_step": 3, "log_history": [{"step": 3, "loss": NaN, "grad_norm": -Infinity, "flag": true,'
        ' "none": null, "text": "x", "lr": 1, "huge": 1' + "0" * 400 + "}]}"
    )
    assert hf_trainer.main([str(tmp_path)]) == 0
    (request,) = job.at("metrics")
    assert [(one["key"], one["invalid"]) for one in request.document["series"] if "invalid" in one] == [
        ("loss", [{"step": 3, "kind": "nan"}]),
        ("grad_norm", [{"step": 3, "kind": "neg_inf"}]),
    ]
    told = capsys.readouterr().out.partition(": ")[2]
    assert (
        told
        == "points 3, not finite 2, "
        + ", ".join(f"left out: {kind} 1" for kind in ("boolean", "null", "text", "integer too large"))
        + "\n"
    )


def test_a_setting_that_json_has_no_word_for_is_told_in_words(job, tmp_path):
    settings = '"num_train_epochs": NaN, "max_steps": -1, "save_steps": Infinity, "eval_steps": 1' + "0" * 30
    (tmp_path / "trainer_state.json").write_text('{"global_step": 0, "log_history": [], ' + settings + "}")
    assert hf_trainer.main([str(tmp_path)]) == 0
    (request,) = job.at("hparams")
    assert request.document["params"] == {
        "max_steps": -1,
        "num_train_epochs": "nan",
        "eval_steps": "1" + "0" * 30,
        "save_steps": "inf",
    }


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        ([], "log_history[0]: has to be an object"),
        ({"loss": 1.0}, "log_history[0].step: a NoneType is no number"),
        ({"step": -1}, "log_history[0].step: step -1 is outside"),
        ({"step": 1, "": 2}, "log_history[0]: a key of 0 characters"),
    ],
)
def test_an_entry_that_breaks_a_rule_is_refused_and_the_rest_is_there(job, tmp_path, capsys, entry, place):
    write(tmp_path, 2, entry, {"step": 2, "loss": 1.0})
    assert hf_trainer.main([str(tmp_path)]) == 1
    assert job.points() == [("loss", 2, 1.0)]
    assert f"refused: {tmp_path}/trainer_state.json: {place}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{", "the file: is no JSON"),
        ("[" * 100_000, "the file: is no JSON: nested too deeply"),
        ('{"log_history": [{"step": 1, "a": 1, "a": 2}]}', "the file: is no JSON: the key 'a' stands twice"),
        ("[]", "log_history: has to be a list"),
        ('{"log_history": {}}', "log_history: has to be a list"),
        ('{"log_history": [], "global_step": "x"}', "global_step: a str is no number"),
    ],
)
def test_what_is_no_trainers_state_is_refused_whole(job, tmp_path, capsys, text, place):
    (tmp_path / "trainer_state.json").write_text(text)
    assert hf_trainer.main([str(tmp_path)]) == 2
    assert f"trainer_state.json: {place}" in capsys.readouterr().err
    assert job.requests == []


def test_a_folder_without_a_state_is_said(tmp_path, capsys):
    assert hf_trainer.main([str(tmp_path), "--dry-run"]) == 2
    assert "is neither here nor in a checkpoint-* directory" in capsys.readouterr().err


def test_a_dry_run_needs_no_job(capsys):
    assert hf_trainer.main([str(SAMPLE), "--dry-run"]) == 0
    assert capsys.readouterr().out.endswith(": points 26\n")
