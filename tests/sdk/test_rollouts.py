"""What is kept of a training step's rollouts, and under which category."""

import json
import math
from itertools import pairwise

import pytest
from tuneplane.contract import TRUNCATED_MARK
from tuneplane.integrations.histogram import histogram
from tuneplane.integrations.rollouts import Rollout, exchange, trajectories
from tuneplane.integrations.validation_samples import sample
from tuneplane.rollouts.trace import DOCUMENT_BYTES, Message


def a_rollout(row=0, reward: float | None = 1.0, text="four", count=1):
    messages = [Message("user", "2+2?"), *(Message("assistant", text) for _ in range(count))]
    return Rollout(row, messages, reward, roles_inferred=True)


def one(rollout):
    (kept,) = trajectories([rollout], 7, 32, whole_step=True)
    return kept


@pytest.mark.parametrize(
    ("reward", "category"),
    [
        (None, "anomaly"),
        (math.nan, "anomaly"),
        (-math.inf, "anomaly"),
        (-1.0, "low_reward"),
        (0.0, "low_reward"),
        (1e-9, "representative"),
    ],
)
def test_a_reward_gives_a_category_and_never_a_verdict(reward, category):
    kept = one(a_rollout(reward=reward))
    assert kept["diagnostic"] == category
    assert ("reward" in kept) == (category != "anomaly")
    assert "collection_policy" not in kept


def test_each_category_has_its_share_in_the_order_of_the_record():
    rewards = [1.0] * 90 + [0.0] * 6 + [None] * 4
    kept = trajectories([a_rollout(row, reward) for row, reward in enumerate(rewards)], 1, 12, whole_step=True)
    assert [one["diagnostic"] for one in kept] == ["representative"] * 4 + ["low_reward"] * 4 + ["anomaly"] * 4
    numbers = [int(one["trial_id"].removeprefix("row-")) for one in kept]
    assert numbers == sorted(numbers)


def test_a_step_is_whole_only_where_the_record_is_and_nothing_was_left_away():
    many = [a_rollout(row) for row in range(33)]
    assert {one["capture_policy"] for one in trajectories(many[:32], 1, 32, whole_step=True)} == {"all"}
    assert {one["capture_policy"] for one in trajectories(many[:32], 1, 32, whole_step=False)} == {"sampled"}
    sampled = trajectories(many, 1, 32, whole_step=True)
    assert [(len(sampled), one["capture_policy"], one["source_rows"]) for one in sampled[:1]] == [(32, "sampled", 33)]


def test_long_text_is_cut_with_a_mark_and_the_document_is_no_longer_complete():
    kept = one(a_rollout(text="x" * 4097))
    assert len(kept["messages"][1]["content"]) == 4096
    assert kept["messages"][1]["content"].endswith(TRUNCATED_MARK)
    assert (kept["complete"], kept["total_messages"]) == (False, 2)
    assert one(a_rollout(text="x" * 4096))["complete"]


def test_a_document_fits_48_kib_and_32_messages_and_a_prompt_never_crowds_out_its_completion():
    kept = one(a_rollout(text="ß" * 8000, count=40))
    assert len(json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode()) <= DOCUMENT_BYTES
    assert (kept["total_messages"], kept["complete"]) == (41, False)
    assert [one(a_rollout(count=count))["complete"] for count in (31, 32)] == [True, False]
    widest = Rollout(0, [Message("user", "\U0001f600" * 9000), Message("assistant", "\U0001f600" * 9000)], 1.0, True)
    assert len(one(widest)["messages"]) == 2


def test_given_roles_stay_and_missing_ones_are_said_to_be_inferred():
    assert exchange("2+2?", "4") == (
        [Message("user", "2+2?"), Message("assistant", "4")],
        True,
    )
    chat = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "2+2?"}]}]
    answer = [
        {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "sum"}}]},
        {"role": "tool", "name": "sum", "content": "4"},
    ]
    messages, inferred = exchange(chat, answer)
    assert not inferred
    assert [(m.role, m.text) for m in messages] == [
        ("system", "Be brief."),
        ("user", "2+2?"),
        ("assistant", '[{"function":{"name":"sum"}}]'),
        ("tool", "4"),
    ]
    assert one(Rollout(0, messages, 1.0, inferred))["messages"][3] == {
        "role": "tool",
        "content": "4",
        "tool_name": "sum",
    }
    unheard = [{"role": "narrator", "content": "x"}]
    assert exchange(unheard, answer)[1]
    assert exchange(unheard, answer)[0][0].role == "user"


def test_a_sample_holds_nothing_that_the_server_would_refuse_the_rest_for():
    extra = {"x": math.inf, "n": 2**70, "ok": True, "\x1b\x00\n": 1}
    made = sample(0, user="u", assistant="a" * 13_000, reward=math.nan, extra=extra)
    assert "reward" not in made
    assert len(made["assistant"]) == 12_000
    assert made["extra"] == {"x": "inf", "n": str(2**70), "ok": True, r"\x1b\x00\n": 1}


def test_few_different_numbers_have_a_count_each_and_many_equal_intervals():
    assert histogram([1.0, 0.0, 1.0, -1.0]) == ([-1.0, 0.0, 1.0], [1, 1, 2, 0])
    assert histogram([3.0]) == ([3.0], [1, 0])
    bounds, counts = histogram([float(n) for n in range(1000)])
    assert (bounds[0], bounds[-1], len(bounds), sum(counts), counts[-1]) == (0.0, 999.0, 32, 1000, 0)
    assert max(counts[1:-1]) - min(counts[1:-1]) <= 1
    extremes, _ = histogram([*(float(n) for n in range(40)), -1.7e308, 1.7e308])
    assert all(low < high for low, high in pairwise(extremes))
