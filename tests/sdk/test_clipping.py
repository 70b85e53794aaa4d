"""Texts and messages cut to what is taken of them."""

import pytest
from tuneplane.clipping import clipped, fitting
from tuneplane.contract import MESSAGE_CHARS, TRUNCATED_MARK


def said(*contents: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": one} for one in contents]


def test_a_text_keeps_its_beginning_and_the_mark_within_what_is_allowed():
    assert clipped("x" * 20, 20) == "x" * 20
    assert clipped("x" * 21, 20) == "x" * (20 - len(TRUNCATED_MARK)) + TRUNCATED_MARK


@pytest.mark.parametrize(
    ("messages", "kept", "whole"),
    [
        (said(*["a"] * 1024), 1024, True),
        (said(*["a"] * 1025), 1024, False),
        (said("a" * MESSAGE_CHARS), 1, True),
        (said("a" * (MESSAGE_CHARS + 1), "b"), 2, False),
        (said(*["é" * 16_000] * 33), 32, False),  # 32,000 bytes each, of 1 MiB
        (said(*["é" * 16_000] * 32), 32, True),
    ],
)
def test_whether_a_trajectory_holds_all_of_all_messages_is_known(messages, kept, whole):
    found, all_of_them = fitting(messages)
    assert (len(found), all_of_them) == (kept, whole)
