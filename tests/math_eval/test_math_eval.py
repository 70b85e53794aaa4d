"""A math evaluation from its problems to what the server has, with hand counts."""

from __future__ import annotations

import json

import pytest

from tests.math_eval import models
from tests.math_eval.conftest import a_problem, executions, values
from tests.sdk.conftest import job_env
from tests.sdk.ingest_stub import a_dead_server

PICKY = ("--verifier", "tests.math_eval.models:picky")
EACH = [
    a_problem(r"say \boxed{4}", "4", id="right"),
    a_problem(r"say \boxed{5}", "4", id="wrong"),
    a_problem("raise", "4", id="no-model"),
    a_problem("number", "4", id="no-text"),
    a_problem(r"say \boxed{x+1}", "1+x", id="algebra"),
    a_problem("say I do not know", 4, id="no-answer"),
    {"question": r"say \boxed{\frac12}", "answer": 0.5, "source": "passed over"},
]
"""success 2 (right, line-7), failure 1 (wrong), infra_error 2 (no-model, no-text), unscored 2 (algebra, no-answer)."""


@pytest.mark.usefixtures("_job")
def test_each_way_a_trial_may_end_is_reported_as_what_it_is(evaluate, ingest, capsys):
    assert evaluate(EACH, "--upload") == 1
    assert [one["expected"] for one in values(ingest, "validation.population")] == [7]
    outcomes = values(ingest, "validation.outcome")
    assert {one["trial_id"]: one["status"] for one in outcomes} == {
        "right": "success",
        "wrong": "failure",
        "no-model": "infra_error",
        "no-text": "infra_error",
        "algebra": "unscored",
        "no-answer": "unscored",
        "line-7": "success",
    }
    assert {(one["trial_attempt"], one["training_eligible"]) for one in outcomes} == {(0, False)}
    reasons = {one["trial_id"]: one["reason"] for one in values(ingest, "trial.reason")}
    assert reasons == {
        "no-model": "generation: ConnectionError: no model here",
        "no-text": "generation: returned int, and has to return text",
        "algebra": "verifier: not understood: the expected answer: '1+x' is no number, choice, or yes or no that is "
        "read here",
        "no-answer": "verifier: not understood: the answer: 'I do not know' is no number, choice, or yes or no that is "
        "read here",
    }
    assert ingest.at("trajectory") == []
    said = capsys.readouterr()
    assert "7 trials: success 2, failure 1, infra_error 2, unscored 2\nsuccess rate: 66.7% of the 3 scored" in said.out
    assert "no protocol is declared" in said.err


@pytest.mark.usefixtures("_job")
def test_a_verifiers_exception_is_never_a_failure_of_the_model(evaluate, ingest):
    said = ("late", "bug", "half", "none", "text", "one", "other", "4")
    assert evaluate([a_problem(f"say {one}", "4", id=one) for one in said], *PICKY, "--upload") == 1
    assert {one["trial_id"]: one["status"] for one in values(ingest, "validation.outcome")} == {
        "late": "infra_error",
        "bug": "unscored",
        "half": "unscored",
        "none": "unscored",
        "text": "unscored",
        "one": "success",
        "other": "failure",
        "4": "success",
    }
    reasons = {one["trial_id"]: one["reason"] for one in values(ingest, "trial.reason")}
    assert reasons["late"] == "verifier: TimeoutError: 60 s"
    assert reasons["bug"] == "verifier: ZeroDivisionError: division by zero"
    assert reasons["half"] == "verifier: returned 0.5, neither true nor false"


def test_a_scored_cohort_is_complete_whatever_the_model_is_worth(evaluate):
    assert evaluate([a_problem(r"say \boxed{5}", "4")]) == 0


@pytest.mark.parametrize("does", ["raise", "say I do not know"])
def test_a_cohort_with_a_trial_without_a_verdict_ends_with_1(evaluate, does):
    assert evaluate([a_problem(id="a"), a_problem(does, id="b")]) == 1


def test_a_job_that_is_opened_for_the_round_is_told_and_ends_well(evaluate, ingest, monkeypatch, capsys):
    monkeypatch.setenv("TUNEPLANE_SERVER", ingest.url)
    monkeypatch.setenv("TUNEPLANE_TOKEN", "tp_pat_x")
    opened = {"run_id": "new", "token": "tp_ing_y", "endpoint": ingest.endpoint, "attempt": 0, "position": 1}
    ingest.answer = lambda path, body: (200, opened)
    assert evaluate([a_problem()], "--job", "math") == 0
    assert [json.loads(one.body)["event"] for one in ingest.at("lifecycle")] == ["starting", "running", "succeeded"]
    assert "/runs/new (attempt 0); to repeat: --run-id new" in capsys.readouterr().err


@pytest.mark.usefixtures("_job")
def test_observations_go_in_batches_of_32_and_a_repeat_sends_the_same_again(evaluate, ingest, asked):
    problems = [a_problem(id=n) for n in range(40)]
    assert evaluate(problems, "--upload") == 0
    assert [len(one.document["events"]) for one in ingest.at("observations")] == [32, 9]
    first = [one.body for one in ingest.requests]
    assert evaluate(problems, "--upload") == 0
    assert [one.body for one in ingest.requests[len(first) :]] == first
    assert len(asked()) == 40


@pytest.mark.usefixtures("_job")
def test_the_evidence_is_whole_before_anything_is_sent_and_outlives_a_delivery_that_fails(
    evaluate, ingest, tmp_path, asked, capsys
):
    seen: list[int] = []

    def refuse(path: str, body: bytes) -> int:
        seen.append(len(executions(tmp_path)))
        return 503

    ingest.answer = refuse
    assert evaluate([a_problem(id=n) for n in range(3)], "--upload") == 3
    assert set(seen) == {3}
    assert "give the same command again" in capsys.readouterr().err
    ingest.answer = lambda path, body: 200
    assert evaluate([a_problem(id=n) for n in range(3)], "--upload") == 0
    assert len(values(ingest, "validation.outcome")) == 3
    assert len(asked()) == 3


@pytest.mark.parametrize(
    ("more", "env", "told"),
    [
        (["--upload"], {}, "there is no job here"),
        (["--job", "x"], {}, "a job of its own needs TUNEPLANE_SERVER"),
        (["--upload"], {"TUNEPLANE_JOB_ENABLED": "0"}, "reporting is switched off"),
        ([], {"TUNEPLANE_JOB_VAL_UPLOAD_SAMPLES": "many"}, "has to be a whole number"),
    ],
)
def test_where_it_goes_and_how_much_text_is_known_before_anything_is_generated(
    evaluate, tmp_path, monkeypatch, capsys, asked, more, env, told
):
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert evaluate([a_problem()], *more) == 2
    assert told in capsys.readouterr().err
    assert asked() == []
    assert not (tmp_path / "evidence.jsonl").exists()


@pytest.mark.usefixtures("_job")
def test_a_text_that_was_kept_otherwise_before_stands_and_the_rest_is_delivered(evaluate, ingest, capsys):
    ingest.answer = lambda path, body: 409 if path == "trajectory" and b'"trial_id":"0"' in body else 200
    assert evaluate([a_problem(id=n) for n in range(3)], "--upload", "--text") == 0
    assert "2 texts, 1 texts kept otherwise before" in capsys.readouterr().err
    ingest.answer = lambda path, body: 422 if path == "trajectory" else 200
    assert evaluate([a_problem(id=n) for n in range(3)], "--upload", "--text") == 3


@pytest.mark.usefixtures("_job")
def test_an_execution_error_is_tried_again_as_the_next_attempt_where_that_is_asked(
    evaluate, ingest, tmp_path, monkeypatch, asked
):
    broken = tmp_path / "broken"
    broken.touch()
    monkeypatch.setenv(models.BROKEN, str(broken))
    problems = [a_problem(id="a")]
    assert evaluate(problems, generator="flaky") == 1
    broken.unlink()
    assert evaluate(problems, generator="flaky") == 1  # not without --retry
    assert evaluate(problems, "--retry", "--upload", generator="flaky") == 0
    assert evaluate(problems, "--retry", "--upload", generator="flaky") == 0  # and not what has a verdict
    assert len(asked()) == 2
    found = {(one["trial_attempt"], one["status"]) for one in values(ingest, "validation.outcome")}
    assert found == {(0, "infra_error"), (1, "success")}
    assert len({one["round_id"] for one in values(ingest, "validation.population")}) == 1


def test_a_limit_takes_the_first_problems_and_is_the_population(evaluate, ingest, monkeypatch, asked):
    for name, value in job_env(ingest.endpoint).items():
        monkeypatch.setenv(name, value)
    assert evaluate([a_problem(f"say {n}", str(n), id=n) for n in range(5)], "--limit", "2", "--upload") == 0
    assert [one["expected"] for one in values(ingest, "validation.population")] == [2]
    assert asked() == ["say 0", "say 1"]


@pytest.mark.usefixtures("_job")
@pytest.mark.parametrize(
    ("trials", "cap", "sent", "policy"),
    [(3, None, 3, "all"), (129, None, 32, "sampled"), (4, "2", 2, "sampled"), (3, "0", 0, "")],
)
def test_text_is_kept_of_cohorts_up_to_128_and_else_of_32_unless_the_cap_says_otherwise(
    evaluate, ingest, monkeypatch, trials, cap, sent, policy
):
    if cap is not None:
        monkeypatch.setenv("TUNEPLANE_JOB_VAL_UPLOAD_SAMPLES", cap)
    assert evaluate([a_problem(id=n) for n in range(trials)], "--upload", "--text") == 0
    found = [one.document["trace"] for one in ingest.at("trajectory")]
    assert len(found) == sent
    assert {one["capture_policy"] for one in found} == ({policy} if sent else set())


@pytest.mark.usefixtures("_job")
def test_a_text_says_what_was_asked_answered_and_cut(evaluate, ingest):
    long = "say " + "x" * 20_000
    assert evaluate([a_problem(long, id="long"), a_problem("raise", id="none")], "--upload", "--text") == 1
    cut, none = (one.document["trace"] for one in ingest.at("trajectory"))
    assert [one["role"] for one in cut["messages"]] == ["user", "assistant"]
    assert (len(cut["messages"][1]["content"]), cut["complete"], cut["total_messages"]) == (16_384, False, 2)
    assert ([one["role"] for one in none["messages"]], none["termination"]) == (
        ["user"],
        "generation: ConnectionError: no model here",
    )


@pytest.mark.usefixtures("_job")
def test_a_protocol_is_declared_only_where_all_of_it_is_known(evaluate, ingest, tmp_path, capsys):
    settings = tmp_path / "settings.json"
    settings.write_text('{"runtime": "image@sha256:1"}')
    known = ["--checkpoint", "model@1", "--split", "test", "--settings", str(settings), "--upload"]
    for left_out in (0, 2, 4):
        assert evaluate([a_problem()], *known[:left_out], *known[left_out + 2 :]) == 0
        assert f"without {known[left_out]}" in capsys.readouterr().err
        (tmp_path / "evidence.jsonl").unlink()
    assert evaluate([a_problem("say 4")], *known, *PICKY) == 0
    assert "without --verifier-digest" in capsys.readouterr().err
    assert values(ingest, "validation.protocol") == []
    (tmp_path / "evidence.jsonl").unlink()
    assert evaluate([a_problem()], *known) == 0
    (declared,) = values(ingest, "validation.protocol")
    assert (declared["checkpoint"], declared["split"]) == ("model@1", "test")


@pytest.mark.usefixtures("_job")
def test_checkpoints_that_are_served_under_different_names_have_the_same_settings(evaluate, ingest, tmp_path):
    settings = tmp_path / "settings.json"
    settings.write_text('{"runtime": "image@sha256:1"}')
    known = ["--checkpoint", "model@1", "--split", "test", "--settings", str(settings), "--upload"]
    with a_dead_server() as address:
        for asked in (("--model", "a"), ("--model", "b"), ("--model", "a", "--temperature", "1")):
            assert evaluate([a_problem()], *known, "--endpoint", address, *asked) == 1
            (tmp_path / "evidence.jsonl").unlink()
    first, renamed, hotter = (one["settings_digest"] for one in values(ingest, "validation.protocol"))
    assert first == renamed != hotter


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ('{"problem": "p"}', "line 1.answer: has to be text"),
        ('{"problem": "p", "answer": " "}', "line 1.answer: has to be text"),
        ('{"problem": "p", "answer": true}', "line 1.answer: has to be text"),
        ('{"answer": "4"}', "line 1: needs one of the fields problem and question"),
        ('{"problem": "p", "question": "p", "answer": "4"}', "line 1: needs one of the fields"),
        ('{"problem": 3, "answer": "4"}', "line 1.problem: has to be text"),
        ('\n{"problem": "p", "answer": "4", "id": ""}', "line 2.id: has to be text of 1 to 128"),
        ('{"problem": "p", "answer": NaN}', "line 1: holds NaN"),
        ("[1]", "line 1: has to be an object"),
        ("oops", "line 1: is no JSON"),
        ("", "holds no problem"),
        (
            '{"problem": "p", "answer": "4", "id": "line-2"}\n{"problem": "p", "answer": "4"}',
            "'line-2' stands in line 1",
        ),
    ],
)
def test_problems_are_refused_by_line_field_and_rule_before_anything_is_generated(
    evaluate, tmp_path, monkeypatch, capsys, lines, told, asked
):
    monkeypatch.setattr("tests.math_eval.conftest.problem_file", lambda folder, _: _written(folder / "p.jsonl", lines))
    assert evaluate([]) == 2
    assert told in capsys.readouterr().err
    assert asked() == []
    assert not (tmp_path / "evidence.jsonl").exists()


def _written(path, text):
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--limit", "0"), "--limit: has to be a whole number from 1"),
        (("--workers", "0"), "--workers: has to be"),
        (("--name", "a b"), "--name: has to be"),
        (("--verifier", "nothing"), "--verifier: has to be written package.module:function"),
        (("--verifier", "no.such:one"), "--verifier: no.such cannot be imported"),
        (("--verifier", "json:no_such"), "--verifier: json has no function no_such"),
        (("--verifier-digest", "A" * 64), "--verifier-digest: has to be a SHA-256"),
        (("--settings", "/no/such"), "/no/such: cannot be read"),
        (("--endpoint", "ftp://x", "--model", "m"), "--endpoint: 'ftp://x' is no http(s) address"),
        (("--endpoint", "http://x"), "--model: is needed with --endpoint"),
    ],
)
def test_what_the_command_line_says_is_checked_first(evaluate, capsys, more, told, asked):
    assert evaluate([a_problem()], *more) == 2
    assert told in capsys.readouterr().err
    assert asked() == []


def test_a_protocol_that_may_not_be_sent_is_refused_before_anything_is_generated(evaluate, tmp_path, capsys, asked):
    settings = tmp_path / "s.json"
    settings.write_text("{}")
    assert evaluate([a_problem()], "--checkpoint", " ", "--split", "s", "--settings", str(settings)) == 2
    assert "protocol: checkpoint is blank" in capsys.readouterr().err
    assert asked() == []
