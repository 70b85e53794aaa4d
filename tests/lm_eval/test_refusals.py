"""What cannot be taken is refused with file, field and rule; nothing crashes, and nothing else is lost with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tuneplane.integrations.lm_eval.delivery import plan_folder
from tuneplane.integrations.lm_eval.rounds import Choices
from tuneplane.integrations.lm_eval.sources import LINE_BYTES

from tests.lm_eval.written import TIME, record, results, samples_of, write


def refused(place: Path) -> list[tuple[str, str, str]]:
    return [(Path(one.file).name, one.field, one.rule) for one in plan_folder([place], Choices()).refused]


@pytest.mark.parametrize(
    ("whole", "field", "rule"),
    [
        ([], "file", "has to be a JSON object"),
        ({}, "results", "has to be an object with a row for each task"),
        ({"results": [1]}, "results", "has to be an object with an object for each task"),
        ({"results": {"t": {"alias": "t"}}}, "results", "has no metric with its filter (`acc,none`) in any row"),
        ({"results": {"t": 1}}, "results", "has to be an object with an object for each task"),
        (results(groups=[1]), "groups", "has to be an object with an object for each task"),
        (
            results(configs={"t": {"test_split": "test", "metric_list": None}}, groups="x"),
            "groups",
            "has to be an object with an object for each task",
        ),
        (results(effective=-1), "n-samples.t.effective", "has to be a whole number from 0 to 2147483647"),
        (results(effective=True), "n-samples.t.effective", "has to be a whole number from 0 to 2147483647"),
    ],
)
def test_a_results_file_of_another_shape_is_refused_by_its_field(tmp_path, whole, field, rule):
    write(tmp_path, whole, None)
    assert refused(tmp_path) == [(f"results_{TIME}.json", field, rule)]


def test_a_samples_file_given_for_the_results_is_refused_with_what_to_name(tmp_path):
    write(tmp_path, results(), [record(0)])
    rule = "holds records alone; name their folder, or the results file beside it"
    assert refused(samples_of(tmp_path)) == [(samples_of(tmp_path).name, "file", rule)]


@pytest.mark.parametrize(
    ("line", "field", "rule"),
    [
        ("{\n", "line 2", "is no JSON in UTF-8"),
        ("[1]\n", "line 2", "has to be an object with doc_id, filter and metrics"),
        ("[" * 100_000 + "\n", "line 2", "is no JSON in UTF-8: nested too deeply"),
        ('"\\ud800"\n', "line 2", "has to be an object"),
        (json.dumps({**record(1), "doc_id": None}) + "\n", "line 2, doc_id", "has to be a number or text"),
        (json.dumps({**record(1), "doc_id": True}) + "\n", "line 2, doc_id", "has to be a number or text"),
        (json.dumps({**record(1), "filter": 1}) + "\n", "line 2, filter", "has to be the name of the filter"),
        (
            json.dumps(record(1)).replace('"resps": [', '"resps": [' + "[" * 800 + "]" * 800 + ", ") + "\n",
            "line 2",
            "holds what cannot be told apart",
        ),
        ('{"a": ' + "9" * 5000 + "}\n", "line 2", "is no JSON in UTF-8"),
        (
            json.dumps(record(1))[:-1] + ', "doc_id": 2}\n',
            "line 2",
            "is no JSON in UTF-8: the key 'doc_id' stands twice",
        ),
        (json.dumps(record("0")) + "\n", "line 2, doc_id", "is '0', and an earlier record has 0"),
    ],
)
def test_a_broken_line_refuses_its_task_by_its_line(tmp_path, line, field, rule):
    write(tmp_path, results(), [record(0)])
    with samples_of(tmp_path).open("a", encoding="utf-8") as file:
        file.write(line)
    ((name, found_field, found_rule),) = refused(tmp_path)
    assert (name, found_field) == (samples_of(tmp_path).name, field)
    assert found_rule.startswith(rule)


def test_a_task_that_is_refused_takes_no_other_with_it(tmp_path):
    rows = {"bad": {"acc,none": 1.0}, "t": {"acc,none": 1.0}}
    write(tmp_path, results(results=rows), [record(0)])
    samples_of(tmp_path, "bad").write_text("nonsense\n")
    plan = plan_folder([tmp_path], Choices())
    assert [one.task.name for one in plan.rounds] == ["t"]
    assert len(plan.refused) == 1


def test_a_line_without_end_is_never_read_whole(tmp_path):
    write(tmp_path, results(), [record(0)])
    with samples_of(tmp_path).open("ab") as file:
        file.truncate(1 << 40)
    assert refused(tmp_path) == [(samples_of(tmp_path).name, "line 2", f"is longer than {LINE_BYTES:,} bytes")]


def test_a_results_file_without_end_is_never_read_whole(tmp_path):
    with write(tmp_path, results(), None).open("ab") as file:
        file.truncate(1 << 40)
    assert refused(tmp_path)[0][1:] == ("file", "is larger than 33,554,432 bytes")


def test_links_and_pipes_are_not_followed(tmp_path):
    away = tmp_path / "away"
    real = write(away, results(), [record(0)])
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / real.name).symlink_to(real)
    assert refused(linked) == [(real.name, "file", "is a link; name the file that it points to")]
    (linked / real.name).unlink()
    os.mkfifo(linked / real.name)
    assert refused(linked) == [(real.name, "file", "is no regular file")]
    (tmp_path / "folders").mkdir()
    (tmp_path / "folders" / "loop").symlink_to(away, target_is_directory=True)
    assert refused(tmp_path / "folders")[0][1] == "folder"
    write(tmp_path / "samples", results(), None)
    samples_of(tmp_path / "samples").symlink_to(samples_of(away))
    assert refused(tmp_path / "samples") == [
        (samples_of(away).name, "file", "is a link; name the file that it points to")
    ]


def test_samples_that_belong_to_nothing_are_refused(tmp_path):
    write(tmp_path, results(), [record(0)]).unlink()
    assert refused(tmp_path) == [
        (
            samples_of(tmp_path).name,
            "file",
            "has no results file of the same time beside it, which says how many were planned",
        )
    ]
    write(tmp_path, results(), [record(0)])
    samples_of(tmp_path).rename(samples_of(tmp_path, "stranger"))
    ((name, field, rule),) = refused(tmp_path)
    assert (name, field) == (samples_of(tmp_path, "stranger").name, "file")
    assert rule.startswith("is of the task stranger, of which ")


def test_samples_of_an_unnamed_time_are_not_guessed(tmp_path):
    write(tmp_path, results(), [record(0)]).rename(tmp_path / "results.json")
    assert plan_folder([tmp_path], Choices()).rounds[0].source is not None
    samples_of(tmp_path).with_name("samples_t_2026-12-02T00-00-00.json" + "l").write_text("{}\n")
    assert refused(tmp_path)[0] == (
        "results.json",
        "file",
        "carries no time, and which samples files are its own cannot be told",
    )


def test_a_folder_without_results_says_what_to_do(tmp_path):
    (tmp_path / "all_results.json").write_text('{"epoch": 1.0}')
    assert refused(tmp_path) == [
        (tmp_path.name, "folder", "holds no results of lm_eval (results_<time>.json); was it run with --output_path?")
    ]
    assert refused(tmp_path / "nowhere")[0][2].startswith("cannot be read")


def test_a_terminal_sees_no_control_character_of_a_name(tmp_path):
    path = tmp_path / f"results_\x1b[31m\n_{TIME}.json"
    path.write_text('{"results": {}}')
    (one,) = plan_folder([tmp_path], Choices()).refused
    assert str(one).isprintable()
    assert "\\x1b[31m\\n" in str(one)


def test_a_file_that_changes_while_it_is_imported_is_not_mixed(tmp_path):
    write(tmp_path, results(), [record(at) for at in range(3)])
    (one,) = plan_folder([tmp_path], Choices()).rounds
    write(tmp_path, results(), [record(at, resps=[[["-0.7", "True"]]]) for at in range(3)])
    with pytest.raises(ValueError, match="changed while it was imported"):
        list(one.trajectories())


def test_a_terminal_sees_no_control_character_of_a_rule(tmp_path):
    write(tmp_path, results(), [record(0)])
    (tmp_path / f"samples_\x1b[2J\n_{TIME}.jsonl").write_text("")
    (one,) = plan_folder([tmp_path], Choices()).refused
    assert str(one).isprintable()


def test_names_that_the_stream_has_no_letters_for_stop_nothing(tmp_path):
    write(tmp_path, results("größe"), [record(0)], "größe")
    command = [sys.executable, "-m", "tuneplane.integrations.lm_eval", str(tmp_path), "--dry-run"]
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONPATH": str(Path(__file__).parents[2] / "sdk")}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "lm-eval:gr\\xf6\\xdfe:" in done.stdout
