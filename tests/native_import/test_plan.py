"""What a plan may say, and what its digests are of."""

import copy
import hashlib
import json

import pytest

from common.eval.plan import PLAN_BYTES, parse_plan, read_plan
from common.eval.refused import InputRefused
from tests.native_import.cohort import a_plan, a_trial


def refusal(plan: object) -> tuple[str, str]:
    """The field and the rule."""
    with pytest.raises(InputRefused) as refused:
        parse_plan(plan, "plan.json")
    assert str(refused.value).startswith("plan.json: ")
    return refused.value.field, refused.value.rule


def test_the_plan_of_the_documentation_is_read():
    trials = [a_trial("task-a", "repeat-0", "session-a", "session-a-retry"), a_trial("task-b")]
    plan = parse_plan(a_plan(*trials))

    assert [(one.task_id, one.trial_id, len(one.attempts)) for one in plan.trials] == [
        ("task-a", "repeat-0", 2),
        ("task-b", "repeat-0", 0),
    ]
    assert [(one.retry, one.directory) for one in plan.trials[0].attempts] == [(0, "session-a"), (1, "session-a-retry")]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"schema": "tuneplane/native-evaluation-import/v2"}, "schema"),
        ({"source_revision": "0" * 40}, "source_revision"),
        ({"source_revision": None}, "source_revision"),
        ({"round_id": ""}, "round_id"),
        ({"round_id": "r" * 89}, "round_id"),
        ({"round_id": "a\nb"}, "round_id"),
        ({"checkpoint": " "}, "checkpoint"),
        ({"checkpoint": "c" * 513}, "checkpoint"),
        ({"split": ""}, "split"),
        ({"dataset_digest": "REPLACE_DATASET_SHA256"}, "dataset_digest"),
        ({"verifier_digest": "A" * 64}, "verifier_digest"),
        ({"runtime_digest": "a" * 63}, "runtime_digest"),
        ({"harness_digest": None}, "harness_digest"),
        ({"settings": []}, "settings"),
        ({"trials": []}, "trials"),
        ({"trials": {}}, "trials"),
        ({"trials": ["task-a"]}, "trials[0]"),
        ({"more": 1}, "more"),
    ],
    ids=str,
)
def test_a_plan_that_breaks_a_rule_is_refused_with_the_field(changes, field):
    assert refusal(a_plan(**changes))[0] == field


@pytest.mark.parametrize("missing", list(a_plan()))
def test_a_plan_without_one_of_its_fields_is_refused(missing):
    plan = a_plan()
    del plan[missing]
    assert refusal(plan) == (missing, "is missing")


@pytest.mark.parametrize(
    ("trial", "field"),
    [
        ({"task_id": ""}, "trials[0].task_id"),
        ({"task_id": 5}, "trials[0].task_id"),
        ({"trial_id": "t" * 257}, "trials[0].trial_id"),
        ({"attempts": None}, "trials[0].attempts"),
        ({"attempts": [{"retry": 0}]}, "trials[0].attempts[0].directory"),
        ({"attempts": [{"retry": True, "directory": "a"}]}, "trials[0].attempts[0].retry"),
        ({"attempts": [{"retry": -1, "directory": "a"}]}, "trials[0].attempts[0].retry"),
        ({"attempts": [{"retry": 1.0, "directory": "a"}]}, "trials[0].attempts[0].retry"),
        ({"attempts": [{"retry": 2**31, "directory": "a"}]}, "trials[0].attempts[0].retry"),
        ({"attempts": [{"retry": 0, "directory": "a"}, {"retry": 0, "directory": "b"}]}, "trials[0].attempts"),
        ({"attempt": []}, "trials[0].attempt"),
    ],
    ids=str,
)
def test_a_trial_that_breaks_a_rule_is_refused_with_the_field(trial, field):
    assert refusal(a_plan({**a_trial(), **trial}))[0] == field


@pytest.mark.parametrize(
    "directory",
    [
        "",
        "/etc",
        "..",
        "a/..",
        "../a",
        "a/../b",
        "a//b",
        "a/",
        ".",
        "./a",
        "a/./b",
        "a\\b",
        "a\0b",
        "a\nb",
        "d" * 1025,
        5,
    ],
    ids=repr,
)
def test_a_directory_that_could_lead_out_of_the_root_is_refused(directory):
    assert refusal(a_plan(a_trial("t", "0", directory)))[0] == "trials[0].attempts[0].directory"


@pytest.mark.parametrize("directory", ["session-a", "job/step_0001/task__x7", "..a", "a..", "ä b"])
def test_a_relative_directory_is_taken_as_it_is(directory):
    assert parse_plan(a_plan(a_trial("t", "0", directory))).trials[0].attempts[0].directory == directory


def test_a_directory_that_two_attempts_share_is_refused():
    of_one_trial = refusal(a_plan(a_trial("a", "0", "x", "x")))
    of_two_trials = refusal(a_plan(a_trial("a", "0", "x"), a_trial("b", "0", "x")))

    assert of_one_trial[0] == "trials[0].attempts: directory of retry 1"
    assert of_two_trials[0] == "trials[1].attempts: directory of retry 0"
    assert "trials[0], retry 0 has already" in of_two_trials[1]


def test_a_trial_that_is_planned_twice_is_refused():
    assert refusal(a_plan(a_trial("a", "0"), a_trial("b", "0"), a_trial("a", "0")))[0] == "trials[2]"


def test_two_trials_that_would_be_reported_under_one_id_are_refused():
    assert refusal(a_plan(a_trial("a:b", "c"), a_trial("a", "b:c")))[0] == "trials[1]"


def test_ten_thousand_trials_are_read_and_one_more_is_not():
    trials = [a_trial(f"task-{at}") for at in range(10_001)]

    assert len(parse_plan(a_plan(*trials[:-1])).trials) == 10_000
    assert refusal(a_plan(*trials)) == ("trials", "has 10,001; 1 to 10,000 are read")


def test_ten_thousand_attempts_are_read_and_one_more_is_not():
    trials = [a_trial(f"task-{at}", "0", *(f"{at}-{retry}" for retry in range(32))) for at in range(312)]
    full = [*trials, a_trial("last", "0", *(f"last-{retry}" for retry in range(16)))]

    assert sum(len(one.attempts) for one in parse_plan(a_plan(*full)).trials) == 10_000
    assert refusal(a_plan(*full, a_trial("more", "0", "more"))) == (
        "trials",
        "has 10,001 attempts; at most 10,000 are read",
    )


def test_thirty_two_retries_of_a_trial_are_read_and_one_more_is_not():
    directories = [f"d{at}" for at in range(33)]

    assert len(parse_plan(a_plan(a_trial("t", "0", *directories[:-1]))).trials[0].attempts) == 32
    assert refusal(a_plan(a_trial("t", "0", *directories))) == ("trials[0].attempts", "has 33; at most 32 are read")


def test_a_plan_in_a_file_is_the_same_plan(tmp_path):
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(a_plan()))
    assert read_plan(path) == parse_plan(a_plan())
    path.write_text("{}")
    with pytest.raises(InputRefused, match=r"plan\.json: schema: is missing"):
        read_plan(path)


def test_a_plan_of_more_than_its_bytes_is_not_parsed(tmp_path):
    path = tmp_path / "plan.json"
    path.write_bytes(b" " * (PLAN_BYTES + 1))
    with pytest.raises(InputRefused, match="larger than 16,777,216 bytes"):
        read_plan(path)


def test_settings_with_numbers_that_are_not_finite_are_refused_from_a_program_too():
    with pytest.raises(InputRefused) as refused:
        parse_plan(a_plan(settings={"temperature": float("nan")}))
    assert refused.value.field == "settings"


def digests(**changes):
    return parse_plan(a_plan(**changes)).protocol


def test_runtime_harness_and_settings_are_all_in_the_settings_digest_and_nothing_else_is():
    before = digests()["settings_digest"]
    for changes in (
        {"runtime_digest": "0" * 64},
        {"harness_digest": "0" * 64},
        {"settings": {"sampling": {"temperature": 1}}},
    ):
        assert digests(**changes)["settings_digest"] != before
    swapped = digests(runtime_digest="c" * 64, harness_digest="b" * 64)["settings_digest"]
    assert swapped != before
    for unrelated in ({"checkpoint": "other"}, {"split": "other"}, {"round_id": "other"}, {"trials": [a_trial("x")]}):
        assert digests(**unrelated)["settings_digest"] == before


def test_the_cohort_digest_is_of_the_planned_trials_alone_in_any_order():
    one, other = a_trial("task-a", "repeat-0", "x"), a_trial("task-b", "repeat-1")
    expected = hashlib.sha256(b'[["task-a","repeat-0"],["task-b","repeat-1"]]').hexdigest()

    assert digests(trials=[one, other])["cohort_digest"] == expected
    assert digests(trials=[other, one], checkpoint="x", settings={})["cohort_digest"] == expected
    executed = copy.deepcopy(other)
    executed["attempts"] = [{"retry": 3, "directory": "y"}]
    assert digests(trials=[one, executed])["cohort_digest"] == expected
    assert digests(trials=[one])["cohort_digest"] != expected


def test_what_the_plan_declares_stays_as_it_is_and_the_checkpoint_is_apart():
    found = digests(checkpoint="model@7")

    assert (found["dataset_digest"], found["verifier_digest"]) == ("d" * 64, "a" * 64)
    assert (found["split"], found["checkpoint"]) == ("eval", "model@7")
    assert {name: one for name, one in digests(checkpoint="model@8").items() if name != "checkpoint"} == {
        name: one for name, one in found.items() if name != "checkpoint"
    }


def test_a_long_trial_id_is_hashed_and_stays_its_own():
    first, second = parse_plan(a_plan(a_trial("t" * 200, "0"), a_trial("t" * 200, "1"))).trials

    assert len(first.reported_as) == len(second.reported_as) == 128
    assert first.reported_as != second.reported_as
    assert parse_plan(a_plan(a_trial("t" * 126, "0"))).trials[0].reported_as == "t" * 126 + ":0"


def test_attempts_count_by_their_retry_whatever_their_order():
    attempts = [{"retry": 7, "directory": "late"}, {"retry": 2, "directory": "early"}]
    (trial,) = parse_plan(a_plan({**a_trial(), "attempts": attempts})).trials

    assert [one.directory for one in trial.attempts] == ["early", "late"]
