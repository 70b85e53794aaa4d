"""Which samples are kept, and how much of each."""

from __future__ import annotations

import json
import math
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tuneplane.flatten import finite
from tuneplane.retention import CapUnusable
from tuneplane.rollouts.cap import rollout_cap
from tuneplane.rollouts.choice import Choice, category, shares
from tuneplane.rollouts.trace import DOCUMENT_BYTES, Message, trace

CAP = "TUNEPLANE_JOB_ROLLOUT_UPLOAD_SAMPLES"


@pytest.mark.parametrize(
    ("reward", "expected"),
    [
        (1.0, "representative"),
        (0.001, "representative"),
        (0, "low_reward"),
        (-0.0, "low_reward"),
        (-3, "low_reward"),
        (math.nan, "anomaly"),
        (math.inf, "anomaly"),
        (-math.inf, "anomaly"),
        (10**400, "anomaly"),
        (None, "anomaly"),
        (True, "anomaly"),
        ("1.0", "anomaly"),
        ([1.0, 2.0], "anomaly"),
    ],
)
def test_the_reward_alone_decides_the_category(reward, expected):
    assert category(reward) == expected


def test_what_is_no_finite_number_is_no_reward():
    assert [finite(one) for one in (2, 0.5, math.nan, None)] == [2.0, 0.5, None, None]


@pytest.mark.parametrize(
    ("found", "most", "expected"),
    [
        ((100, 100, 100), 32, (11, 11, 10)),
        ((0, 100, 100), 32, (0, 16, 16)),
        ((2, 3, 100), 32, (2, 3, 27)),
        ((0, 0, 5), 32, (0, 0, 5)),
        ((9, 9, 9), 2, (1, 1, 0)),
        ((9, 9, 9), 0, (0, 0, 0)),
        ((0, 0, 0), 32, (0, 0, 0)),
    ],
)
def test_each_category_has_its_share_and_what_one_leaves_goes_to_the_others(found, most, expected):
    names = ("anomaly", "low_reward", "representative")
    assert tuple(shares(dict(zip(names, found, strict=True)), most).values()) == expected


def chosen(rewards, most=32, seed="train:1"):
    choice = Choice[int](most, seed)
    for number, reward in enumerate(rewards):
        choice.offer(number, category(reward), partial(int, number))
    return [number for number, _ in choice.chosen(most)]


@given(st.lists(st.sampled_from([1.0, 0.0, math.nan]), max_size=120), st.integers(0, 32))
def test_the_choice_is_the_same_again_and_as_large_as_it_may_be(rewards, most):
    found = chosen(rewards, most)
    assert found == chosen(rewards, most) == sorted(set(found))
    assert len(found) == min(most, len(rewards))


def test_the_choice_is_spread_over_the_step_and_differs_between_steps():
    found = chosen([1.0] * 3200)
    assert found != chosen([1.0] * 3200, seed="train:2")
    assert found[0] < 800
    assert found[-1] >= 2400


def test_the_order_in_which_samples_come_changes_nothing():
    forward, backward = (Choice[int](8, "train:1") for _ in range(2))
    for number in range(500):
        forward.offer(number, "representative", partial(int, number))
        backward.offer(499 - number, "representative", partial(int, 499 - number))
    assert forward.chosen(8) == backward.chosen(8)


def test_samples_are_made_only_while_they_may_be_among_the_chosen():
    made: list[int] = []
    choice = Choice[None](4, "s")
    for number in range(10_000):
        choice.offer(number, "representative", partial(made.append, number))
    assert len(choice.chosen(4)) == 4
    assert len(made) < 100


@pytest.mark.parametrize(
    ("given_", "expected"), [({}, 32), ({CAP: ""}, 32), ({CAP: "8"}, 8), ({CAP: "0"}, 0), ({CAP: "99"}, 32)]
)
def test_the_variable_lowers_the_cap_and_never_raises_it(given_, expected):
    assert rollout_cap(given_) == expected


@pytest.mark.parametrize("wrong", ["none", "-1", "3.5", "\u0663", "9" * 5000])
def test_a_cap_that_cannot_be_read_is_refused_so_that_no_text_leaves_against_anybodys_will(wrong):
    with pytest.raises(CapUnusable, match=r"TUNEPLANE_JOB_ROLLOUT_UPLOAD_SAMPLES is .* whole number from 0"):
        rollout_cap({CAP: wrong})


def said(count: int, text: str = "x") -> list[Message]:
    return [Message("user", text) for _ in range(count)]


def test_a_conversation_within_the_bounds_is_complete():
    made = trace({"scope": "training"}, said(32, "x" * 1024))
    assert (made["scope"], len(made["messages"]), made["total_messages"], made["complete"]) == (
        "training",
        32,
        32,
        True,
    )


def test_more_messages_are_counted_and_left_out():
    made = trace({}, said(33))
    assert (len(made["messages"]), made["total_messages"], made["complete"]) == (32, 33, False)


def test_a_long_message_is_cut_where_it_says_so():
    made = trace({}, said(1, "x" * 1025))
    (message,) = made["messages"]
    assert (len(message["content"]), message["content"][-13:], made["complete"]) == (1024, "x…[truncated]"[-13:], False)
    assert made["total_messages"] == 1


def test_a_document_is_no_larger_than_it_may_be_in_bytes():
    made = trace({}, said(32, "数" * 1024))  # 98 KB of UTF-8
    assert len(json.dumps(made, ensure_ascii=False, separators=(",", ":")).encode()) <= DOCUMENT_BYTES
    assert (len(made["messages"]), made["total_messages"], made["complete"]) == (15, 32, False)


def test_what_the_source_holds_beside_text_makes_the_rollout_incomplete():
    assert trace({}, [Message("user", "[image]", whole=False)])["complete"] is False
