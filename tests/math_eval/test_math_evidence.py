"""What a math evaluation left on disk: gone on with after any end, and never mixed with another."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys

import pytest

from tests.math_eval import models
from tests.math_eval.conftest import a_problem, executions, problem_file, values
from tests.sdk.conftest import job_env
from tests.sdk.ingest_stub import Ingest

PICKY = ("--verifier", "tests.math_eval.models:picky")


@pytest.mark.parametrize(
    ("changed", "more", "field"),
    [
        ([a_problem(id="b")], (), "dataset_digest"),
        ([a_problem(id="a")], PICKY, "verifier"),
        ([a_problem(id="a")], ("--name", "other"), "name"),
        ([a_problem(id="a")], ("--checkpoint", "other"), "declared"),
    ],
)
def test_evidence_of_other_inputs_is_not_gone_on_with(evaluate, capsys, changed, more, field, asked):
    assert evaluate([a_problem(id="a")]) == 0
    assert evaluate(changed, *more) == 2
    assert f"evidence.jsonl: {field}: was another when this evaluation began" in capsys.readouterr().err
    assert len(asked()) == 1


def test_a_new_evidence_file_is_a_new_round(evaluate, tmp_path):
    rounds = set()
    for _ in range(2):
        assert evaluate([a_problem()]) == 0
        rounds.add(json.loads((tmp_path / "evidence.jsonl").read_text().splitlines()[0])["round_id"])
        (tmp_path / "evidence.jsonl").unlink()
    assert len(rounds) == 2


def test_evidence_whose_beginning_was_changed_is_refused_by_its_field(evaluate, tmp_path, capsys):
    assert evaluate([a_problem()]) == 0
    path = tmp_path / "evidence.jsonl"
    first, *rest = path.read_text().splitlines(keepends=True)
    for field, told in (("inputs", "line 1.inputs: has to be"), ("round_id", "line 1.round_id: has to be text")):
        begun = {name: value for name, value in json.loads(first).items() if name != field}
        path.write_text("".join([f"{json.dumps(begun)}\n", *rest]))
        assert evaluate([a_problem()]) == 2
        assert told in capsys.readouterr().err


def test_without_room_for_the_evidence_nothing_is_torn_and_the_same_command_goes_on(evaluate, tmp_path, capsys):
    cohort = [a_problem(f"say {'x' * 3_000}", id=str(number)) for number in range(5)]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16_000, hard))
    try:
        assert evaluate(cohort, "--workers", "2") == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "evidence.jsonl: cannot be written: File too large; what it holds is kept" in capsys.readouterr().err
    lines = (tmp_path / "evidence.jsonl").read_text().splitlines(keepends=True)
    assert 1 < len(lines) < 6
    assert all(line.endswith("\n") and json.loads(line) for line in lines)
    evaluate(cohort)
    after = (tmp_path / "evidence.jsonl").read_text().splitlines(keepends=True)
    assert after[: len(lines)] == lines
    assert sorted(json.loads(line)["trial_id"] for line in after[1:]) == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize("content", ["mine", "mine\n", '{"schema": "other"}\n{}'])
def test_another_file_in_the_place_of_the_evidence_is_left_alone(evaluate, tmp_path, content, capsys):
    path = tmp_path / "evidence.jsonl"
    path.write_text(content)
    assert evaluate([a_problem()]) == 2
    assert "is no evidence of a math evaluation" in capsys.readouterr().err
    assert path.read_text() == content


@pytest.mark.parametrize("kept", [10, -1, -20])
def test_a_line_that_was_cut_by_a_kill_is_done_again(evaluate, tmp_path, kept, asked):
    problems = [a_problem(id=n) for n in range(2)]
    assert evaluate(problems) == 0
    path = tmp_path / "evidence.jsonl"
    path.write_bytes(path.read_bytes()[:kept])
    assert evaluate(problems) == 0
    assert [one["trial_id"] for one in executions(tmp_path)] == ["0", "1"]
    assert len(asked()) == (4 if kept == 10 else 3)


def test_a_killed_evaluation_goes_on_where_it_was(tmp_path, ingest: Ingest, asked):
    broken = tmp_path / "broken"
    broken.touch()
    files = {models.ASKED: str(tmp_path / "asked"), models.BROKEN: str(broken)}
    env = {"PYTHONPATH": ":".join(sys.path), **files, **job_env(ingest.endpoint)}
    said = [a_problem(id=n) for n in range(5)]
    problems = problem_file(tmp_path, [*said[:2], a_problem("die", "die", id=2), *said[3:]])
    command = [sys.executable, "-m", "common.eval.math_eval", "--generator", "tests.math_eval.models:scripted"]
    command += ["--problems", str(problems), "--output", str(tmp_path / "evidence.jsonl"), "--upload"]
    killed = subprocess.run(command, env=env, capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert ingest.requests == []
    assert [one["trial_id"] for one in executions(tmp_path)] == ["0", "1"]
    broken.unlink()
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, "5 trials: success 5" in done.stdout) == (0, True)
    assert asked()[2:] == ["die", "die", *[r"say \boxed{4}"] * 2]
    assert [one["trial_id"] for one in values(ingest, "validation.outcome")] == ["0", "1", "2", "3", "4"]


def test_workers_run_trials_at_a_time_and_leave_the_same_evidence(evaluate, tmp_path):
    assert evaluate([a_problem(id=n) for n in range(20)], "--workers", "4") == 0
    assert sorted(int(one["trial_id"]) for one in executions(tmp_path)) == list(range(20))
