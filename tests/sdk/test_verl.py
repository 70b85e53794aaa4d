"""What verl writes, read to its last line and while it is written. Counts are those of a hand count of the samples."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from tuneplane.integrations import verl
from tuneplane.integrations.delivering import Delivering
from tuneplane.integrations.json_lines import JsonLines
from tuneplane.integrations.verl_file import dumps

from tests.sdk.conftest import job_env
from tests.sdk.ingest_stub import until

SAMPLES = Path(__file__).parents[1] / "samples" / "verl"
METRICS = SAMPLES / "metrics.jsonl"


@pytest.fixture
def job(monkeypatch, ingest):
    for name, value in job_env(ingest.endpoint).items():
        monkeypatch.setenv(name, value)
    return ingest


@pytest.fixture
def log(tmp_path):
    return tmp_path / "metrics.jsonl"


def line(step, **data):
    return json.dumps({"step": step, "data": data}) + "\n"


def points(ingest):
    return [(key, step, value) for key, step, value in ingest.points()]


def refusals(capsys):
    return [one for one in capsys.readouterr().err.splitlines() if "refused: " in one]


def test_the_file_loggers_lines_become_points_and_nulls_are_said_to_be_no_number(job, capsys):
    assert verl.main([str(METRICS)]) == 0
    found = points(job)
    assert len(found) == 2 + 10 + 9 + 9 + 2
    assert [(step, value) for key, step, value in found if key == "actor/pg_loss"] == [
        (1, 0.5),
        (2, 0.25),
        (3, 0.5 / 3),
    ]
    assert [(step, value) for key, step, value in found if key.startswith("val-core")] == [(0, 0.25), (3, 0.5)]
    assert [(one["step"], one["values"]) for one in job.events()] == [
        (2, {"names": "actor/grad_norm", "count": 1}),
        (3, {"names": "critic/advantages/min", "count": 1}),
    ]
    assert "ts" not in job.at("metrics")[0].document["series"][0]
    assert capsys.readouterr().out == "points 32, left out: null 2\n"


def test_the_same_file_gives_the_same_bytes_however_it_was_read(job, log):
    verl.main([str(METRICS)])
    first = [one.body for one in job.at("metrics")]
    text = METRICS.read_bytes()
    job.requests.clear()
    log.write_bytes(text[:300])
    assert verl.main([str(log)]) == 0
    log.write_bytes(text)
    assert verl.main([str(log)]) == 0
    assert list(dict.fromkeys(one.body for one in job.at("metrics"))) == first


def test_dumps_become_rollouts_and_validation_samples(job, capsys):
    assert verl.main(["--rollouts", str(SAMPLES / "rollouts"), "--validation", str(SAMPLES / "validation")]) == 0
    traces = [one.document["trace"] for one in job.at("trajectory")]
    assert [(one["round_id"], one["trial_id"], one.get("reward"), one["diagnostic"]) for one in traces] == [
        ("training-step-1", "row-0", 1.0, "representative"),
        ("training-step-1", "row-1", 0.0, "low_reward"),
        ("training-step-1", "row-2", 1.0, "representative"),
        ("training-step-1", "row-3", None, "anomaly"),  # its score is a bare NaN
        ("training-step-2", "row-0", 1.0, "representative"),
        ("training-step-2", "row-1", -0.5, "low_reward"),
    ]
    assert [one["complete"] for one in traces] == [True] * 5 + [False]  # 18,000 characters
    assert {(one["capture_policy"], one["roles_inferred"]) for one in traces} == {("all", True)}
    rounds = [one.document for one in job.at("validation")]
    assert [(one["step"], one["total_samples"], [s["reward"] for s in one["samples"]]) for one in rounds] == [
        (0, 2, [1.0, 0.0]),
        (3, 3, [1.0, 1.0, 0.0]),
    ]
    assert rounds[0]["samples"][1]["extra"] == {"gts": "9", "reward": 0.0, "acc": 0.0}
    assert job.events() == []  # a score is no verdict: no outcome is reported
    assert capsys.readouterr().out == "rollouts 6, validation rounds 2, validation samples read 5\n"


def test_text_can_be_switched_off(job, monkeypatch):
    monkeypatch.setenv("TUNEPLANE_JOB_ROLLOUT_UPLOAD_SAMPLES", "0")
    monkeypatch.setenv("TUNEPLANE_JOB_VAL_UPLOAD_SAMPLES", "0")
    assert verl.main(["--rollouts", str(SAMPLES / "rollouts"), "--validation", str(SAMPLES / "validation")]) == 0
    assert job.requests == []


def test_literals_nesting_other_step_names_and_what_is_no_number(job, log, capsys):
    log.write_text(
        '{"step": 1, "data": {"a": NaN, "b": {"c": -Infinity, "d": 2}, "flag": true, "text": "x", "list": [1]}}\n'
        "\n"
        '{"global_step": 2.0, "loss": 0.5}\n'
        '{"step": 3, "elapsed_seconds": 5.5, "data": {"a": 1e999}}\n'
    )
    assert verl.main([str(log)]) == 0
    assert points(job) == [("b.d", 1, 2.0), ("loss", 2, 0.5), ("elapsed_seconds", 3, 5.5)]
    invalid = [
        (series["key"], one["step"], one["kind"])
        for request in job.at("metrics")
        for series in request.document["series"]
        for one in series.get("invalid", [])
    ]
    assert invalid == [("a", 1, "nan"), ("b.c", 1, "neg_inf"), ("a", 3, "pos_inf")]
    assert capsys.readouterr().out == (
        "points 6, not finite 3, left out: boolean 1, left out: text 1, left out: list 1\n"
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[1]", "line 1: the line: has to be an object"),
        ("{", "line 1: the line: is no JSON"),
        ("[" * 100_000, "line 1: the line: is no JSON"),
        ('{"step": 1, "data": {"a": 1, "a": 2}}', "line 1: the line: is no JSON: the key 'a' stands twice"),
        ('{"data": {}}', "line 1: step: is missing"),
        ('{"step": -1, "data": {}}', "line 1: step: step -1 is outside"),
        ('{"step": true, "data": {}}', "line 1: step: the step is a boolean"),
        ('{"step": 1, "data": 3}', "line 1: data: has to be an object"),
        ('{"step": 1, "data": {"a\\u0000": 1}}', "line 1: control characters"),
        ('{"step": 1, "data": {"a.b": 1, "a": {"b": 2}}}', "line 1: 'a.b' comes twice"),
        ('{"step": 1, "data": {"\\ud800": 1}}', "line 1: control characters"),
    ],
)
def test_a_bad_line_is_refused_by_file_line_and_rule_and_the_rest_is_read(job, log, capsys, text, place):
    log.write_text(f"{text}\n{line(2, loss=1.0)}")
    assert verl.main([str(log)]) == 1
    assert ("loss", 2, 1.0) in points(job)
    (said,) = refusals(capsys)
    assert f"{log}: {place}" in said


def test_a_name_of_a_null_that_is_no_unicode_does_not_break_the_import(job, log):
    log.write_text('{"step": 1, "data": {"\\ud800": null, "loss": 1}}\n')
    assert verl.main([str(log)]) == 0
    assert job.events()[0]["values"]["names"] == "?"


@pytest.mark.parametrize("change", [{"input": None}, {"output": 3}])
def test_a_dump_without_text_is_refused_by_line_and_field(job, tmp_path, capsys, change):
    good = {"input": "a", "output": "b", "gts": "c", "score": 1.0, "step": 5}
    (tmp_path / "5.jsonl").write_text("".join(json.dumps(one) + "\n" for one in (good, {**good, **change})))
    assert verl.main(["--rollouts", str(tmp_path)]) == 1
    assert f"5.jsonl: line 2: {next(iter(change))}: has to be text" in refusals(capsys)[0]
    (kept,) = [one.document["trace"] for one in job.at("trajectory")]
    assert (kept["trial_id"], kept["capture_policy"]) == ("row-0", "sampled")  # of the step one is missing


def test_a_dump_that_breaks_off_is_said_and_no_whole_step(job, tmp_path, capsys):
    text = (SAMPLES / "rollouts" / "1.jsonl").read_text()
    (tmp_path / "1.jsonl").write_text(text[:-10])
    assert verl.main(["--rollouts", str(tmp_path)]) == 1
    assert "bytes are no whole line" in refusals(capsys)[0]
    traces = [one.document["trace"] for one in job.at("trajectory")]
    assert [one["capture_policy"] for one in traces] == ["sampled"] * 3
    assert verl.main(["--validation", str(tmp_path)]) == 1
    assert "total_samples" not in job.at("validation")[0].document


@pytest.mark.parametrize(("lines", "kept", "size"), [(128, 128, 128), (129, 32, 129)])
def test_text_of_a_validation_is_kept_whole_up_to_128_and_else_of_32(job, tmp_path, lines, kept, size):
    good = json.dumps({"input": "a", "output": "b", "score": 1.0, "step": 5}) + "\n"
    (tmp_path / "5.jsonl").write_text(good * lines)
    assert verl.main(["--validation", str(tmp_path)]) == 0
    sent = [one.document for one in job.at("validation")]
    assert sum(len(one["samples"]) for one in sent) == kept
    assert {one["total_samples"] for one in sent} == {size}


def test_a_line_that_is_refused_is_of_the_cohort_too(job, tmp_path):
    good = json.dumps({"input": "a", "output": "b", "score": 1.0, "step": 5}) + "\n"
    (tmp_path / "5.jsonl").write_text("{}\n" + good * 128)
    assert verl.main(["--validation", str(tmp_path)]) == 1
    sent = [one.document for one in job.at("validation")]
    assert [one["idx"] for chunk in sent for one in chunk["samples"]] == list(range(1, 129, 4))
    assert not any("total_samples" in one for one in sent)


def test_text_that_is_kept_otherwise_is_counted_and_the_rest_goes_on(job, capsys):
    job.answer = lambda path, body: 409 if b'"row-0"' in body else 200
    assert verl.main(["--rollouts", str(SAMPLES / "rollouts")]) == 0
    assert capsys.readouterr().out == "texts kept otherwise before 2, rollouts 4\n"


def test_where_there_is_nothing_to_read_it_says_what_to_name(job, tmp_path, capsys):
    assert verl.main([str(tmp_path / "absent")]) == 2
    assert verl.main([str(SAMPLES / "rollouts")]) == 2
    (tmp_path / "a.jsonl").write_text("")
    (tmp_path / "b.jsonl").write_text("")
    assert verl.main([str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "is not there" in said
    assert "--rollouts" in said
    assert "holds 2 files of metrics" in said
    assert verl.main([str(SAMPLES), "--dry-run"]) == 0


@pytest.fixture
def a_server(monkeypatch, ingest):
    """It opens the run `new`."""
    monkeypatch.setenv("TUNEPLANE_SERVER", ingest.url)
    monkeypatch.setenv("TUNEPLANE_TOKEN", "tp_pat_x")
    opened = {"run_id": "new", "token": "tp_ing_y", "endpoint": ingest.endpoint, "attempt": 0, "position": 1}
    ingest.answer = lambda path, body: (200, opened)
    return ingest


def test_where_there_is_nothing_to_read_no_job_is_opened(a_server, tmp_path, monkeypatch, capsys):
    absent = str(tmp_path / "absent")
    for named in ([absent], [str(tmp_path)], ["--rollouts", absent], ["--validation", absent]):
        assert verl.main([*named, "--job", "x"]) == 2
    for variable in ("TUNEPLANE_JOB_ROLLOUT_UPLOAD_SAMPLES", "TUNEPLANE_JOB_VAL_UPLOAD_SAMPLES"):
        with monkeypatch.context() as patch:
            patch.setenv(variable, "many")
            assert verl.main([str(METRICS), "--job", "x"]) == 2
    assert a_server.requests == []
    assert capsys.readouterr().err.count("absent") == 3


def test_a_job_that_is_opened_is_told_with_the_way_to_repeat(a_server, capsys):
    assert verl.main([str(METRICS), "--job", "x"]) == 0
    assert "/runs/new (attempt 0); to repeat: --run-id new\n" in capsys.readouterr().err


def test_without_a_job_or_with_two_it_does_nothing(monkeypatch, capsys, ingest):
    assert verl.main([str(METRICS)]) == 2
    for name, value in job_env(ingest.endpoint).items():
        monkeypatch.setenv(name, value)
    assert verl.main([str(METRICS), "--job", "x"]) == 2
    assert "--job NAME opens one" in capsys.readouterr().err
    assert ingest.requests == []


def test_a_refused_delivery_ends_it_with_code_3(job, capsys):
    job.answer = lambda path, body: 422
    assert verl.main([str(METRICS)]) == 3
    assert "422" in capsys.readouterr().err


class TestLines:
    def texts(self, lines):
        return [one.text.decode() for one in lines.read()]

    def test_half_a_line_waits_for_its_end(self, log):
        lines = JsonLines(log)
        log.write_text("one\ntw")
        assert self.texts(lines) == ["one"]
        assert lines.waiting == 2
        with log.open("a") as file:
            file.write("o\n\n \nthree\n")
        assert [(one.number, one.text) for one in lines.read()] == [(2, b"two"), (5, b"three")]
        assert (self.texts(lines), lines.waiting, lines.renewals) == ([], 0, 0)

    @pytest.mark.parametrize("text", ["new\n", "other\nmuch longer than before\n"])
    def test_a_file_written_anew_in_place_is_read_from_its_beginning(self, log, text):
        lines = JsonLines(log)
        log.write_text("one\ntwo\n")
        self.texts(lines)
        log.write_text(text)
        assert self.texts(lines) == text.splitlines()
        assert lines.renewals == 1

    def test_a_file_cut_in_place_is_read_from_its_beginning(self, log):
        lines = JsonLines(log)
        texts = [f"line {number:04}" for number in range(1000)]
        log.write_text("\n".join(texts) + "\n")
        assert self.texts(lines) == texts
        log.write_text("\n".join(texts[:900]) + "\n")
        assert self.texts(lines) == texts[:900]

    def test_another_file_in_its_place_is_read_from_its_beginning(self, log):
        lines = JsonLines(log)
        log.write_text("one\n")
        self.texts(lines)
        log.rename(log.with_suffix(".old"))
        log.write_text("one\ntwo\n")
        assert self.texts(lines) == ["one", "two"]


def test_dumps_are_ordered_by_step(tmp_path):
    for name in ("10.jsonl", "9.jsonl", "x.jsonl", "9.json", "9.jsonl.tmp"):
        (tmp_path / name).touch()
    assert [step for step, _ in dumps(tmp_path)] == [9, 10]


def test_a_dump_is_read_when_the_next_one_is_there_or_when_it_no_longer_grows(tmp_path):
    delivering = Delivering("verl", None)
    reading = verl.Reading(verl.parser().parse_args(["--rollouts", str(tmp_path)]), delivering)

    def looked():
        reading.look(last=False)
        return delivering.counts["rollouts"]

    generation = json.dumps({"input": "a", "output": "b", "score": 1.0, "step": 1}) + "\n"
    first = tmp_path / "1.jsonl"
    first.write_text(generation)
    assert looked() == 0
    first.write_text(generation * 2)
    assert looked() == 0
    assert looked() == 2
    assert looked() == 2
    (tmp_path / "2.jsonl").write_text(generation * 3)
    (tmp_path / "3.jsonl").write_text("")
    assert looked() == 2 + 3
    (tmp_path / "3.jsonl").write_text(generation + generation[:10])
    assert [looked() for _ in range(3)] == [2 + 3] * 3


@contextmanager
def running(ingest, *command):
    """A process beside the test; killed where it is not ended."""
    env = {**os.environ, **job_env(ingest.endpoint)}
    with subprocess.Popen(
        [sys.executable, *map(str, command)], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_following_sends_what_comes_waits_for_what_is_not_there_and_ends_when_told(ingest, log, tmp_path):
    rollouts = tmp_path / "rollouts"
    module = "tuneplane.integrations.verl"
    with running(ingest, "-m", module, log, "--rollouts", rollouts, "--follow", "0.05") as process:
        log.write_text(line(1, loss=1.0) + '{"step": 2,')
        until(lambda: points(ingest) == [("loss", 1, 1.0)])
        with log.open("a") as file:
            file.write(' "data": {"loss": 0.5}}\n')
        rollouts.mkdir()
        (rollouts / "1.jsonl").write_bytes((SAMPLES / "rollouts" / "1.jsonl").read_bytes())
        until(lambda: len(points(ingest)) == 2 and len(ingest.at("trajectory")) == 4)
        log.write_text(line(1, loss=4.0) + line(2, loss=3.0) + line(3, loss=2.0))
        until(lambda: len(points(ingest)) == 5)
        (rollouts / "2.jsonl").write_bytes((SAMPLES / "rollouts" / "2.jsonl").read_bytes())
        with log.open("a") as file:
            file.write(line(4, loss=1.0))
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (0, "points 6, rollouts 6\n"), err
    assert "written anew" in err
    assert points(ingest)[-1] == ("loss", 4, 1.0)


PATIENT = """
import sys
from tuneplane.integrations import delivering, verl
delivering._PAUSE_SECONDS = 0.01
sys.exit(verl.main([sys.argv[1], "--follow", "0.05"]))
"""


def test_following_outlasts_a_server_that_is_away(ingest, log):
    log.write_text(line(1, loss=1.0))
    refusing = iter([503] * 4)
    ingest.answer = lambda path, body: next(refusing, 200)
    with running(ingest, "-c", PATIENT, log) as process:
        until(lambda: points(ingest) == [("loss", 1, 1.0)])
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert "trying again" in err
