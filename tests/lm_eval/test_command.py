"""`python -m tuneplane.integrations.lm_eval`: what it prints, its exit codes, and `report` in the same process."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from tuneplane.integrations.lm_eval import Choices, ResultsRefused, report, report_folder
from tuneplane.integrations.lm_eval.command import main
from tuneplane.reporter import Reporter, ReporterError

from tests.lm_eval.written import dummy_run, record, results, samples_of, write
from tests.sdk.conftest import job_env

pytestmark = pytest.mark.usefixtures("outside_a_job")


@pytest.fixture
def in_a_job(ingest, monkeypatch) -> Mapping[str, str]:
    env = job_env(ingest.endpoint)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    return env


@pytest.fixture
def reporter(ingest) -> Iterator[Reporter]:
    with Reporter(ingest.endpoint, "run-1", "t", retry_delay=0.001) as one:
        yield one


def folder_of(tmp_path, count: int = 3):
    write(tmp_path, results(effective=count), [record(at, acc=float(at == 0)) for at in range(count)])
    return tmp_path


def test_a_dry_run_shows_the_counts_of_each_round_and_sends_nothing(tmp_path, capsys):
    assert main(["--dry-run", str(dummy_run(tmp_path))]) == 0
    said = capsys.readouterr().out
    assert "  5 planned, 5 reported: 1 success, 4 failure, 0 unscored; decided by acc\n" in said
    assert said.endswith("3 rounds, 4 benchmark scores\n")


def test_results_go_to_the_job_of_the_environment(ingest, in_a_job, tmp_path, capsys):
    assert main([str(folder_of(tmp_path))]) == 0
    assert [event["name"] for event in ingest.events()] == [
        "validation.population",
        "validation.protocol",
        "validation.metric",
        *["validation.outcome"] * 3,
    ]
    (scores,) = ingest.at("benchmark")
    assert (scores.document["runner"], scores.document["model"]) == ("lm-eval", "org/model")
    assert len(ingest.at("trajectory")) == 3
    assert ingest.at("lifecycle") == []
    assert "sent 6 events, 3 texts, 1 scores" in capsys.readouterr().err


def test_without_a_job_nothing_is_sent_and_the_ways_are_named(tmp_path, monkeypatch, capsys):
    assert main([str(folder_of(tmp_path))]) == 2
    assert "--job NAME opens one" in capsys.readouterr().err
    assert main([str(tmp_path), "--job", "x"]) == 2
    assert "TUNEPLANE_SERVER and TUNEPLANE_TOKEN" in capsys.readouterr().err
    monkeypatch.setenv("TUNEPLANE_JOB_ENABLED", "0")
    assert main([str(tmp_path), "--job", "x"]) == 2
    assert "switched off" in capsys.readouterr().err


def test_a_job_here_and_a_job_asked_for_are_not_confused(in_a_job, ingest, tmp_path, capsys):
    assert main([str(folder_of(tmp_path)), "--job", "x"]) == 2
    assert "leave --job and --run-id out" in capsys.readouterr().err
    assert ingest.requests == []


def test_a_cap_that_is_no_number_stops_before_anything_is_read(in_a_job, monkeypatch, ingest, tmp_path, capsys):
    monkeypatch.setenv("TUNEPLANE_JOB_VAL_UPLOAD_SAMPLES", "many")
    assert main([str(folder_of(tmp_path))]) == 2
    assert "whole number from 0" in capsys.readouterr().err
    assert ingest.requests == []


def test_where_nothing_can_be_imported_nothing_was_done(in_a_job, ingest, tmp_path, capsys):
    for named in (tmp_path, tmp_path / "absent"):
        assert main([str(named)]) == 2
        assert main([str(named), "--dry-run"]) == 2
        assert f"refused: {named}: " in capsys.readouterr().out
    assert ingest.requests == []


def test_a_deciding_metric_that_no_filter_has_is_no_choice_that_is_passed_over(in_a_job, ingest, tmp_path, capsys):
    folder = str(folder_of(tmp_path))
    for options in ((), ("--dry-run",)):
        assert main([folder, "--metric", "exact_mtach", *options]) == 2
        assert "--metric exact_mtach: no filter has it" in capsys.readouterr().err
    assert ingest.requests == []
    assert main([folder, "--metric", "acc"]) == 0
    samples_of(tmp_path).unlink()
    assert main([folder, "--metric", "exact_match"]) == 0, "aggregates alone: no trial is decided by anything"


def test_what_is_refused_is_said_and_the_rest_is_imported(in_a_job, ingest, tmp_path, capsys):
    folder_of(tmp_path / "good")
    folder_of(tmp_path / "bad")
    samples_of(tmp_path / "bad").write_text("nonsense\n")
    assert main([str(tmp_path)]) == 1
    assert "refused: " in capsys.readouterr().out
    assert len({event["values"]["round_id"] for event in ingest.events()}) == 1


def test_a_delivery_that_breaks_off_says_that_the_same_command_goes_on(in_a_job, ingest, tmp_path, capsys):
    ingest.answer = lambda path, body: 403 if path == "benchmark" else 200
    assert main([str(folder_of(tmp_path))]) == 3
    assert "the same command goes on" in capsys.readouterr().err
    assert len(ingest.events()) == 6


def test_a_text_that_the_server_keeps_already_is_no_failure(ingest, reporter, tmp_path):
    ingest.answer = lambda path, body: 409 if path == "trajectory" else 200
    _, sent = report_folder(folder_of(tmp_path), reporter, Choices())
    assert (sent.texts, sent.texts_kept_before) == (0, 3)
    ingest.answer = lambda path, body: 413 if path == "trajectory" else 200
    with pytest.raises(ReporterError):
        report_folder(tmp_path, reporter, Choices())


def in_process(records: list[dict[str, Any]], whole: dict[str, Any]) -> dict[str, Any]:
    """As `simple_evaluate` holds what a samples file says: arguments in tuples, answers as numbers."""
    held = []
    for one in records:
        asked = [tuple(request.values()) for request in one["arguments"].values()]
        resps = [[(float(score), greedy == "True") for score, greedy in answers] for answers in one["resps"]]
        chosen = [(float(score), greedy == "True") for score, greedy in one["filtered_resps"]]
        held.append({**one, "arguments": asked, "resps": resps, "filtered_resps": chosen, "target": int(one["target"])})
    return {**whole, "samples": {"t": held}}


def test_what_the_harness_returned_is_the_same_round_as_what_it_wrote(ingest, reporter, tmp_path):
    records = [record(at) for at in range(3)]
    write(tmp_path, results(), records)
    sent = report(in_process(records, results()), reporter, Choices())
    first = [one.document for one in ingest.requests]
    _, again = report_folder(tmp_path, reporter, Choices())
    assert sent == again
    assert [one.document for one in ingest.requests[len(first) :]] == first


def test_a_rank_that_has_no_results_reports_nothing(ingest, reporter):
    assert report(None, reporter) is None
    assert report(results(), None) is None
    assert ingest.requests == []


def test_results_of_another_shape_are_refused_before_anything_is_sent(ingest, reporter):
    whole = {**results(), "samples": {"t": [record(0), "nonsense"]}}
    with pytest.raises(ResultsRefused, match="samples of t: record 1: has to be an object"):
        report(whole, reporter)
    with pytest.raises(ResultsRefused, match="has to be a list"):
        report({**results(), "samples": {"t": "text"}}, reporter)
    with pytest.raises(ResultsRefused, match="has to be an object with a list for each task"):
        report({**results(), "samples": [record(0)]}, reporter)
    assert ingest.requests == []


def test_every_line_that_is_sent_is_json_of_the_contract(ingest, reporter, tmp_path):
    report_folder(dummy_run(tmp_path), reporter, Choices())
    assert all(json.loads(one.body)["run_id"] == "run-1" for one in ingest.requests)
