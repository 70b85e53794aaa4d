"""How samples and distributions of rewards read."""

import pytest

from application.queries.reward_distribution import reward_distribution
from application.queries.sample import ValidationSample
from application.queries.sample_reading import reading


def a_sample(**changes):
    given = {"idx": 3, "user": "2+2?", "assistant": "4", "env": "", "reward": 1.0, "extra": {}}
    return ValidationSample(**{**given, **changes})


def read(**extra):
    return reading(a_sample(extra=extra))


def said(messages):
    return [(one.role, one.text) for one in messages]


def test_a_sample_is_what_was_asked_and_answered():
    found = reading(a_sample(env="sandbox 7"))

    assert said(found.conversation) == [("user", "2+2?"), ("assistant", "4")]
    assert (found.idx, found.env, found.reward, found.chosen, found.components, found.more) == (
        3,
        "sandbox 7",
        1.0,
        None,
        [],
        [],
    )
    assert said(reading(a_sample(user="", assistant="alone")).conversation) == [("assistant", "alone")]


def test_a_system_text_stands_before_the_question():
    assert said(read(system="be brief").conversation)[0] == ("system", "be brief")


def test_messages_are_the_conversation_and_nothing_that_they_lack_is_left_out():
    messages = [{"role": role, "content": text} for role, text in (("system", "s"), ("user", "2+2?"), ("tool", "t"))]

    found = read(messages=messages, system="s")

    assert said(found.conversation) == [("system", "s"), ("user", "2+2?"), ("tool", "t"), ("assistant", "4")]
    assert found.more == []


@pytest.mark.parametrize(
    "sent", ["text", [], [1], [{"role": "user"}], [{"role": "user", "content": 1}], [{"role": 1, "content": "x"}]]
)
def test_what_is_no_messages_is_shown_as_it_came(sent):
    found = read(messages=sent)

    assert said(found.conversation) == [("user", "2+2?"), ("assistant", "4")]
    assert [name for name, _ in found.more] == ["messages"]


def test_messages_with_more_than_a_role_and_a_text_are_shown_whole():
    assert "call" in read(messages=[{"role": "tool", "content": "x", "call": "c1"}]).more[0][1]


def test_a_pair_is_both_answers_as_text_or_as_messages():
    found = read(chosen="yes", rejected=[{"role": "assistant", "content": "no"}])

    assert (said(found.chosen), said(found.rejected), found.more) == ([("assistant", "yes")], [("assistant", "no")], [])


@pytest.mark.parametrize("half", [{"chosen": "yes"}, {"rejected": "no"}, {"chosen": "yes", "rejected": 0}])
def test_half_of_a_pair_is_no_pair(half):
    found = read(**half)

    assert (found.chosen, found.rejected) == (None, None)
    assert sorted(name for name, _ in found.more) == sorted(half)


def test_parts_of_a_reward_are_numbers_by_name():
    found = read(reward_components={"format": 0.5, "answer": 1}, rewards={"length": -0.25})

    assert [(one.name, one.value) for one in found.components] == [("format", 0.5), ("answer", 1), ("length", -0.25)]
    assert found.more == []
    assert read(rewards={"a": True}).components == []
    assert read(rewards={"a": "x"}).more == [("rewards", '{"a": "x"}')]


def test_the_rest_is_shown_as_it_came():
    assert read(level="hard", hints=["ä", 1]).more == [("level", "hard"), ("hints", '["ä", 1]')]


def bins(*reported):
    return [(one.label, one.count) for one in reward_distribution(reported).bins]


def test_a_distribution_counts_by_the_field_that_is_a_count():
    assert bins({"reward": 0, "count": 7}, {"reward": 1, "count": 0}) == [("reward 0", 7), ("reward 1", 0)]
    assert bins({"lo": 0, "hi": 0.5, "n": 2}) == [("lo 0, hi 0.5", 2)]
    assert bins({"bin": "low", "samples": 1.5}) == [("bin low", 1.5)]


@pytest.mark.parametrize("entry", [{"bin": 0}, {"count": "3"}, {"count": True}, {"count": -1}])
def test_without_counts_everywhere_the_entries_are_shown_as_they_came(entry):
    found = reward_distribution([{"reward": 1, "count": 2}, entry])

    assert found.bins == []
    assert len(found.entries) == 2
    assert found.entries[0] == '{"reward": 1, "count": 2}'


def test_no_distribution_is_none():
    assert (reward_distribution([]).bins, reward_distribution([]).entries) == ([], [])
