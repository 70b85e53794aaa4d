"""Step files of NeMo-RL, those of its own writer first: hand counts beside them.

train 1: rewards 1, 0, 0.25, 1; the last is masked. train 2: 1, 0, 0.25, NaN; the last is masked.
val 1: 1, 0, 0.25, 1. val 2: 1, 0, 0.25, NaN. Every conversation has two messages, the third of each file four.
"""

from __future__ import annotations

import json

import pytest
from tuneplane.integrations.nemo_content import ContentUnread, conversation
from tuneplane.integrations.nemo_rollouts import StepFile, read_step, step_file

from tests.sdk.nemo_logs import SAMPLES, a_sample, written

COUNTS = ("rows", "anomaly", "low_reward", "representative", "masked", "unread", "chosen")


def of(name: str) -> StepFile:
    found = step_file(SAMPLES / name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("train_data_step1.jsonl", (4, 0, 1, 3, 1, 0, 4)),
        ("train_data_step2.jsonl", (4, 1, 1, 2, 1, 0, 4)),
        ("val_data_step1.jsonl", (4, 0, 1, 3, 0, 0, 4)),
        ("val_data_step2.jsonl", (4, 1, 1, 2, 0, 0, 4)),
    ],
)
def test_the_counts_of_the_real_files_are_those_made_by_hand(name, expected):
    found = read_step(of(name), 32)
    assert tuple(found.counts[key] for key in COUNTS) == expected
    assert (found.problems, found.ended) == ([], True)
    assert found.event["values"] == {"source": name, **dict(zip(COUNTS, expected, strict=True))}
    assert found.event["step"] == int(name[-7])


def test_a_training_rollout_is_told_with_what_its_file_says_and_nothing_more():
    third = read_step(of("train_data_step2.jsonl"), 32).traces[2]
    assert third.pop("round_id").startswith("train_data_step2:")
    assert third == {
        "scope": "training",
        "trial_id": "row-2",
        "trial_attempt": 0,
        "step": 2,
        "reward": 0.25,
        "diagnostic": "representative",
        "roles_inferred": True,
        "messages": [
            {"role": "user", "content": "Move the tile."},
            {"role": "assistant", "content": "<action>up</action>"},
            {"role": "user", "content": "Result: ok"},
            {"role": "assistant", "content": "<action>done</action>"},
        ],
        "total_messages": 4,
        "complete": True,
        "source_rows": 4,
        "capture_policy": "sampled",
    }


def test_a_bare_nan_is_an_anomaly_without_a_reward():
    found = read_step(of("train_data_step2.jsonl"), 32).traces
    assert [(one["diagnostic"], one.get("reward", "unknown")) for one in found] == [
        ("representative", 1.0),
        ("low_reward", 0.0),
        ("representative", 0.25),
        ("anomaly", "unknown"),
    ]
    json.dumps(found, allow_nan=False)


def test_a_validation_keeps_the_roles_it_has_and_names_those_that_the_contract_lacks():
    third = read_step(of("val_data_step1.jsonl"), None).traces[2]
    assert [(one["role"], one.get("tool_name")) for one in third["messages"]] == [
        ("user", None),
        ("assistant", None),
        ("tool", "environment"),
        ("assistant", None),
    ]
    assert third["scope"] == "validation"
    assert "roles_inferred" not in third
    assert "diagnostic" not in third
    assert third["capture_policy"] == "all"


def test_the_same_bytes_are_the_same_round_and_changed_bytes_another(tmp_path):
    first, second = (read_step(of("train_data_step1.jsonl"), 32) for _ in range(2))
    assert (first.traces, first.event) == (second.traces, second.event)
    changed = tmp_path / "train_data_step1.jsonl"
    changed.write_bytes((SAMPLES / changed.name).read_bytes().replace(b"It is 5.", b"It is 6."))
    other = read_step(StepFile(changed, training=True, step=1), 32)
    assert other.traces[0]["round_id"] != first.traces[0]["round_id"]
    assert other.event["id"] != first.event["id"]


def test_a_step_gives_at_most_its_cap_and_each_category_its_share(tmp_path):
    rewards = [float("nan")] * 20 + [0.0] * 100 + [1.0] * 400
    path = written(tmp_path, "train_data_step7.jsonl", (a_sample(n, one) for n, one in enumerate(rewards)))
    found = read_step(StepFile(path, training=True, step=7), 32)
    picked = [one["diagnostic"] for one in found.traces]
    assert [picked.count(name) for name in ("anomaly", "low_reward", "representative")] == [11, 11, 10]
    assert {one["source_rows"] for one in found.traces} == {520}
    assert tuple(found.counts[key] for key in COUNTS) == (520, 20, 100, 400, 0, 0, 32)


@pytest.mark.parametrize(("rows", "most", "kept"), [(128, None, 128), (129, None, 32), (129, 129, 129), (5, 0, 0)])
def test_validation_is_kept_whole_up_to_128_samples_and_then_32(tmp_path, rows, most, kept):
    said = [{"role": "user", "content": "q"}]
    path = written(tmp_path, "val_data_step0.jsonl", ({"content": [said], "rewards": [1.0]} for _ in range(rows)))
    found = read_step(StepFile(path, training=False, step=0), most).traces
    assert len(found) == kept
    assert {one["capture_policy"] for one in found} <= {"all" if kept == rows else "sampled"}


def test_a_row_that_cannot_be_read_is_of_the_cohort_too(tmp_path):
    rows = [a_sample(at) for at in range(128)] + [{"rewards": [1.0]}]
    found = read_step(StepFile(written(tmp_path, "val_data_step0.jsonl", rows), training=False, step=0), None)
    assert (found.counts["rows"], found.counts["unread"], len(found.traces)) == (129, 1, 32)


def test_rows_that_cannot_be_read_are_counted_and_the_first_are_told(tmp_path):
    path = written(tmp_path, "train_data_step3.jsonl", [a_sample(0), {"rewards": [1.0]}, a_sample(2, 1.0)])
    with path.open("a") as file:
        file.write('{"content": [["cut of')
    found = read_step(StepFile(path, training=True, step=3), 32)
    assert tuple(found.counts[key] for key in COUNTS) == (4, 0, 0, 2, 0, 2, 2)
    assert found.problems == [
        "train_data_step3.jsonl: row 1: content: has to be a list of messages or of texts, and not empty",
        "train_data_step3.jsonl: row 3: is cut off",
    ]
    assert found.ended is False
    assert [one["trial_id"] for one in found.traces] == ["row-0", "row-2"]


def test_without_rewards_every_sample_is_an_anomaly_and_none_has_one(tmp_path):
    path = written(tmp_path, "train_data_step1.jsonl", [{"content": [["q", "a"]], "input_lengths": [3]}])
    (one,) = read_step(StepFile(path, training=True, step=1), 32).traces
    assert one["diagnostic"] == "anomaly"
    assert "reward" not in one


@pytest.mark.parametrize(
    ("content", "roles", "inferred"),
    [
        (["q", "a", "q"], ["user", "assistant", "user"], True),
        ([["q"]], ["user"], True),
        ("q", ["user"], True),
        ([[["q", "a"]]], ["user", "assistant"], True),
        ([{"role": "user", "content": "q"}], ["user"], False),
        ([[{"role": "developer", "content": "d"}, {"role": "gpt", "content": "a"}]], ["system", "assistant"], False),
    ],
)
def test_the_three_shapes_of_content_are_told_apart(content, roles, inferred):
    found = conversation(content)
    assert ([one.role for one in found.messages], found.roles_inferred) == (roles, inferred)


@pytest.mark.parametrize(
    "content",
    [None, [], [[]], 3, {}, [1], ["q", {"role": "user"}], [{"content": "q"}], [{"role": " "}], [["q"], ["a"]]],
)
def test_content_of_another_shape_is_refused_and_no_role_is_made_up(content):
    with pytest.raises(ContentUnread, match=r"^content"):
        conversation(content)


def test_parts_of_a_message_that_are_no_text_are_named_and_not_kept():
    parts = [{"type": "text", "text": "look"}, {"type": "image", "url": "x"}, "there"]
    (message,) = conversation([{"role": "user", "content": parts}]).messages
    assert (message.text, message.whole) == ("look\n[image]\nthere", False)


@pytest.mark.parametrize(
    "name", ["train_data_step1.json", "train_data_stepx.jsonl", "trainer_data_step1.jsonl", "a.jsonl"]
)
def test_other_files_are_no_step_files(tmp_path, name):
    assert step_file(tmp_path / name) is None
