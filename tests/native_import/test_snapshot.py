"""A snapshot: what the plan's attempts say, an identity made of the content, a file that is whole or not there."""

import json
import stat

import pytest
from tuneplane.observations import now_iso

from common.eval.plan import parse_plan
from common.eval.refused import InputRefused
from common.eval.snapshot import prepare, save
from common.eval.traces import Traces
from tests.native_import.cohort import a_plan, a_result, a_trial, an_atif, left, same

PLAN = a_plan(
    a_trial("task-b", "repeat-0", "b"),
    a_trial("task-a", "repeat-1", "a1-first", "a1-again"),
    a_trial("task-c"),
    a_trial("task-a", "repeat-0", "a0"),
)


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "results"
    left(folder, "a0", a_result(1.0, trial_name="not-the-directory"), an_atif())
    left(folder, "a1-first", a_result(None, "EnvironmentStartTimeoutError"), an_atif())
    left(folder, "a1-again", a_result(0), an_atif())
    left(folder, "b", trajectory=an_atif())
    left(folder, "of-nobody", b"no JSON", b"no JSON")
    return folder


def prepared(root, plan=PLAN, traces=None):
    return prepare(parse_plan(plan), root, traces)


def test_every_explicit_attempt_is_told_by_task_repeat_and_retry_and_no_other_directory_is_read(root):
    bundle = prepared(root)

    assert [(one["trial_id"], one["trial_attempt"], one["status"], one["reason"]) for one in bundle["outcomes"]] == [
        ("task-a:repeat-0", 0, "success", None),
        ("task-a:repeat-1", 0, "infra_error", "EnvironmentStartTimeoutError"),
        ("task-a:repeat-1", 1, "failure", None),
        ("task-b:repeat-0", 0, "unscored", "no result.json: never started, still running, or killed"),
    ]
    assert bundle["population"] == {"expected": 4}
    assert bundle["protocol"] == parse_plan(PLAN).protocol
    assert bundle["trajectories"] == []


def test_no_held_out_trial_is_eligible_for_training(root):
    assert {one["training_eligible"] for one in prepared(root)["outcomes"]} == {False}


def test_a_directory_that_is_not_there_is_an_attempt_without_a_result(root):
    (only,) = prepared(root, a_plan(a_trial("t", "0", "nowhere")))["outcomes"]
    assert (only["status"], only["result_sha256"]) == ("unscored", None)


def test_the_same_content_is_the_same_round_whatever_the_order_of_the_plan(root):
    first, again = prepared(root), prepared(root, {**PLAN, "trials": PLAN["trials"][::-1]})

    assert first["round_id"] == again["round_id"] == f"native:heldout-1:{first['content_digest'][:32]}"
    assert len(first["round_id"]) <= 128
    assert len(prepared(root, {**PLAN, "round_id": "r" * 88})["round_id"]) == 128


def test_the_time_of_preparing_is_no_content(root):
    first = prepared(root)

    assert first["prepared_at"] <= now_iso()
    assert {**first, "prepared_at": ""} == {**prepared(root), "prepared_at": ""}


@pytest.mark.parametrize(
    "changes",
    [
        {"checkpoint": "another"},
        {"split": "another"},
        {"dataset_digest": "0" * 64},
        {"settings": {}},
        {"round_id": "heldout-2"},
        {"trials": PLAN["trials"][:-1]},
        {"trials": [*PLAN["trials"], a_trial("task-d")]},
    ],
    ids=lambda one: next(iter(one)) + str(len(str(one))),
)
def test_a_changed_plan_is_another_round(root, changes):
    assert prepared(root)["round_id"] != prepared(root, {**PLAN, **changes})["round_id"]


def test_a_changed_result_is_another_round_even_with_the_same_verdict(root):
    before = prepared(root)["round_id"]
    left(root, "a0", a_result(1.0, id="executed again"))
    assert prepared(root)["round_id"] != before


def test_kept_text_is_content_too(root):
    def upper(text: str) -> str:
        return text.upper()

    rounds = [
        prepared(root, traces=one)["round_id"] for one in (None, Traces(1, same), Traces(2, same), Traces(1, upper))
    ]
    assert len(set(rounds)) == 4
    before = prepared(root, traces=Traces(1, same))["round_id"]
    left(root, "a0", trajectory=an_atif(unread="changed"))
    assert prepared(root, traces=Traces(1, same))["round_id"] != before


def test_the_first_trajectories_by_task_repeat_and_retry_are_kept_and_those_without_text_passed_over(root):
    (root / "a1-first/agent/trajectory.json").unlink()
    found = prepared(root, traces=Traces(2, same))["trajectories"]

    assert [(one["trial_id"], one["trial_attempt"]) for one in found] == [
        ("task-a:repeat-0", 0),
        ("task-a:repeat-1", 1),
    ]
    assert len(prepared(root, traces=Traces(128, same))["trajectories"]) == 3


def test_a_trajectory_says_why_its_trial_is_not_scored(root):
    found = prepared(root, traces=Traces(4, same))["trajectories"]
    assert [one.get("termination") for one in found] == [
        None,
        "EnvironmentStartTimeoutError",
        None,
        "no result.json: never started, still running, or killed",
    ]


def test_no_more_than_128_trajectories_are_kept(tmp_path):
    trials = [a_trial(f"task-{at:03}", "0", f"d{at}") for at in range(130)]
    for at in range(130):
        left(tmp_path, f"d{at}", trajectory=an_atif())
    found = prepared(tmp_path, a_plan(*trials), Traces(128, same))["trajectories"]

    assert [one["trial_id"] for one in found] == [f"task-{at:03}:0" for at in range(128)]


def test_text_in_the_older_format_alone_is_counted_and_not_read(root):
    for name in ("a0", "a1-again", "b"):
        (root / name / "agent/litellm-trajectory.jsonl").write_text("no JSON")
    for name in ("a1-again", "b"):
        (root / name / "agent/trajectory.json").unlink()
    bundle = prepared(root, traces=Traces(128, same))

    assert (len(bundle["trajectories"]), bundle["legacy_texts"]) == (2, 2)
    assert prepared(root)["legacy_texts"] == 0


def test_without_traces_no_trajectory_is_opened(root):
    left(root, "a0", trajectory=b"no JSON")

    assert prepared(root)["trajectories"] == []
    with pytest.raises(InputRefused, match="is no JSON"):
        prepared(root, traces=Traces(1, same))


def test_a_message_is_told_where_a_redactor_was_over_it_and_no_text_is_kept_for_that(root):
    left(root, "b", a_result(None, "RuntimeError", "of a SECRET"))
    bundle = prepared(root, traces=Traces(0, lambda text: text.replace("SECRET", "x")))

    assert bundle["outcomes"][-1]["reason"] == "RuntimeError: of a x"
    assert prepared(root)["outcomes"][-1]["reason"] == "RuntimeError"
    assert bundle["trajectories"] == []


def test_one_result_that_cannot_be_read_stops_all_of_it(root):
    left(root, "b", b'{"task_name": "t", "verifier_result": {"rewards": {"reward": NaN}}}')
    with pytest.raises(InputRefused) as refused:
        prepared(root)
    assert str(refused.value) == f"{root}/b/result.json: holds NaN; only finite numbers are read"


def test_a_result_of_one_mebibyte_is_read_and_a_byte_more_is_refused(root):
    result = a_result(1.0, padding="")
    room = 1024 * 1024 - len(json.dumps(result))
    left(root, "b", {**result, "padding": "x" * room})
    assert prepared(root)["outcomes"][-1]["status"] == "success"
    left(root, "b", {**result, "padding": "x" * (room + 1)})
    with pytest.raises(InputRefused, match="is larger than 1,048,576 bytes"):
        prepared(root)


def test_the_time_of_an_attempt_is_the_evaluators_or_unknown(root):
    left(root, "a1-again", a_result(0, finished_at="2026-01-21T03:44:18.458309"))
    assert [one["ts"] for one in prepared(root)["outcomes"]] == [
        "2026-12-01T20:09:41.474562+00:00",
        "2026-12-01T20:09:41.474562+00:00",
        None,
        None,
    ]


def test_what_was_read_so_far_is_told(root):
    told: list[int] = []
    prepare(parse_plan(PLAN), root, read=told.append)
    assert told == [1, 2, 3, 4]


def test_a_saved_snapshot_reads_as_it_was_and_is_its_owners_alone(root, tmp_path):
    bundle, path = prepared(root, traces=Traces(3, same)), tmp_path / "snapshot.json"
    save(bundle, path)

    assert json.loads(path.read_text(encoding="utf-8")) == bundle
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["snapshot.json"]


def test_an_empty_snapshot_reads_as_it_was(root, tmp_path):
    bundle = prepared(root, a_plan(a_trial()))
    save(bundle, tmp_path / "snapshot.json")
    assert json.loads((tmp_path / "snapshot.json").read_bytes()) == bundle


def test_an_earlier_snapshot_is_replaced_and_nothing_else_is(root, tmp_path):
    path = tmp_path / "snapshot.json"
    save(prepared(root), path)
    later = prepared(root, a_plan(a_trial()))
    save(later, path)
    assert json.loads(path.read_bytes())["round_id"] == later["round_id"]
    for name in ("a0/result.json",):
        before = (root / name).read_bytes()
        with pytest.raises(InputRefused, match="is there already and is no snapshot"):
            save(later, root / name)
        assert (root / name).read_bytes() == before


def test_a_snapshot_that_cannot_be_written_leaves_nothing_behind(root, tmp_path):
    bundle = prepared(root)
    with pytest.raises(InputRefused, match="cannot be written"):
        save(bundle, tmp_path / "absent/snapshot.json")
    with pytest.raises(InputRefused, match="cannot be replaced"):
        save(bundle, root)
    path = tmp_path / "snapshot.json"
    save(bundle, path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="not JSON compliant"):
        save({**bundle, "outcomes": [{"broken": float("nan")}]}, path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["snapshot.json"]
