from __future__ import annotations

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st
from tuneplane.contract import TRUNCATED_MARK

from domain.ids import Micros
from domain.rules.log_lines import LINE_CHARS, Line, LineState, advance, step, unfinished
from tests.factories import NOON

REPLACED = "\N{REPLACEMENT CHARACTER}"


def told(*pieces: str) -> tuple[list[Line], LineState]:
    """Each piece in an event of its own, a microsecond apart, from `NOON`."""
    lines: list[Line] = []
    state = LineState()
    for later, piece in enumerate(pieces):
        ended, state = step(state, [piece], Micros(NOON + later))
        lines += ended
    return lines, state


def shown(*pieces: str) -> list[str]:
    return [line.text for line in told(*pieces)[0]]


def partial(*pieces: str) -> str | None:
    line = unfinished(told(*pieces)[1])
    return None if line is None else line.text


def test_pieces_join_into_lines_that_count_from_0():
    lines, state = told("first li", "ne\nsecond\n")
    assert lines == [Line(0, NOON, "first line"), Line(1, Micros(NOON + 1), "second")]
    assert state == LineState(n=2)


def test_pieces_of_one_event_join_too():
    assert step(LineState(), ["a", "b\n", "", "c"], NOON) == (
        [Line(0, NOON, "ab")],
        LineState(n=1, carry="c", recorded_at=NOON),
    )


def test_a_line_is_as_old_as_its_first_piece():
    lines, _ = told("a", "b", "c\nd", "e\n")
    assert [(line.text, line.recorded_at - NOON) for line in lines] == [("abc", 0), ("de", 2)]


def test_an_unfinished_line_is_partial_and_keeps_its_number():
    lines, state = told("one\ntw", "o")
    assert unfinished(state) == Line(1, NOON, "two", partial=True)
    assert step(state, ["!\n"], NOON)[0] == [Line(1, NOON, "two!")]
    assert not any(line.partial for line in lines)


def test_a_line_with_nothing_to_show_has_not_begun():
    assert partial() is None
    assert partial("done\n") is None
    assert partial("done\n\x1b[0m") is None
    assert partial("\r") is None


@pytest.mark.parametrize("sign", "\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
def test_what_breaks_lines_or_turns_the_order_of_others_around_is_replaced(sign):
    assert shown(f"a{sign}b\n") == [f"a{REPLACED}b"]


@pytest.mark.parametrize("text", ["שלום", "ab\u200ccd", "👩\u200d🚀", "\u200bzero", "e\u0301"])
def test_writing_of_every_direction_stays_as_it_was_printed(text):
    assert shown(f"{text}\n") == [text]


def test_empty_lines_are_lines():
    assert shown("\n\na\n\n") == ["", "", "a", ""]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("10%|\r50%|\r100%|\n", "100%|"),
        ("10%|\r50%|\r\n", "50%|"),
        ("windows\r\n", "windows"),
        ("\r\n", ""),
        ("bar\r\x1b[K\n", "bar"),
        ("bar\r   \n", "   "),
        ("\rbar\n", "bar"),
        ("\r\r\r\n", ""),
    ],
)
def test_only_the_last_text_between_carriage_returns_is_shown(text, line):
    assert shown(text) == [line]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\x1b[31mred\x1b[0m 中文", "red 中文"),
        ("\x1b[1;38;5;196mbold\x1b[m", "bold"),
        ("\x1b[2K\x1b[1Gline", "line"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x/y\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPdevice\x1b\\text", "text"),
        ("\x1b(Btext\x1b7\x1b8", "text"),
        ("\x1b[?25lhidden cursor\x1b[?25h", "hidden cursor"),
        ("\x1b]never ended", "never ended"),
        ("\x1b[31ébroken", "ébroken"),
        ("end\x1b", "end"),
        ("end\x1b[3", "end"),
        ("\x1b\x1b[31mred", "red"),
    ],
)
def test_escape_sequences_are_taken_out_and_text_is_not(text, line):
    assert shown(text + "\n") == [line]
    assert shown(*text, "\n") == [line]


@pytest.mark.parametrize("code", [0, 8, 0x0B, 0x0C, 0x1F, 0x7F, 0x80, 0x9B, 0x9F, 0xD800, 0xDFFF])
def test_what_cannot_be_shown_is_replaced(code):
    assert shown(f"a{chr(code)}b\n") == [f"a{REPLACED}b"]


def test_tabs_and_all_other_text_stay():
    text = "a\tb\u00a0\U0001f600e\u0301 ~"
    assert shown(text + "\n") == [text]


def test_long_lines_are_cut_and_marked():
    exact = "x" * LINE_CHARS
    assert shown(exact + "\n") == [exact]
    assert shown(exact + "y\n") == [exact + TRUNCATED_MARK]
    assert shown(f"\x1b[31m{exact}\x1b[0m\n") == [exact]
    assert shown(exact, "", "y\n") == [exact + TRUNCATED_MARK]
    assert shown(exact, "y\rshort\n") == ["short"]
    assert shown(exact + "y\r", "\n") == [exact + TRUNCATED_MARK]
    assert partial(exact, "y") == exact + TRUNCATED_MARK


@pytest.mark.parametrize(
    "piece",
    ["x", "10%\r", "\r", "\x1b[31m", "\x1b]", "\x1b[3", "\x1b]0;t", "é\x1b]title\x07", "\x1b", "x\r\x1b[K", "\0"],
)
def test_a_line_that_never_ends_takes_constant_memory(piece):
    state = LineState()
    for _ in range(20):
        _, state = step(state, [piece] * 10_000, NOON)
    assert len(state.carry) <= 2 * LINE_CHARS + 2 * 4096


def test_a_progress_bar_of_hours_shows_its_latest_state():
    bars = [f"{n}%\r" for n in range(10_000)]
    assert partial(*bars) == "9999%"
    assert len(told(*bars)[1].carry) < 20


def test_an_escape_sequence_across_the_cut_takes_nothing_with_it():
    title = "\x1b]0;" + "t" * 3000
    text = "x" * (LINE_CHARS - 2)
    assert shown(text + title, "\x07ab\n") == [text + "ab"]
    assert shown(text + title, "\x07abc\n") == [text + "ab" + TRUNCATED_MARK]


def test_an_escape_sequence_behind_a_full_line_does_not_cut_it():
    exact = "x" * LINE_CHARS
    assert shown(exact + "\x1b]0;title", "\x07\n") == [exact]


@pytest.mark.parametrize("cut", [0, 1, 100, 4999])
def test_a_string_that_is_too_long_for_a_title_is_text(cut):
    text = "\x1b]" + "t" * 5000 + "\x07"
    assert shown(text[:cut], text[cut:] + "\n") == ["t" * 5000 + REPLACED]


FRAGMENTS = st.sampled_from(
    [
        *("a", "é", " ", "\t", "\n", "\r", "\r\n", "10%", "\0", "\x1b", "[", "]", "\\", "\x07", "31m", "\x1b[31m"),
        *("\x1b]0;t\x07", "\x1b]8;;u\x1b\\", "\x1b[K", "\x1bP", "x" * 9000, "y" * LINE_CHARS, "t" * 5000),
        *("\x1b]" + "t" * 4000, "0" * 300, "\x1b[" + "0" * 200),
    ]
)


@for_all(st.lists(FRAGMENTS, max_size=14), st.data())
@settings(max_examples=400)
def test_however_the_text_is_cut_the_lines_are_the_same(fragments, data):
    text = "".join(fragments)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[one:other] for one, other in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    whole, ended = told(text)
    lines, state = told(*pieces)
    assert [(line.n, line.text) for line in lines] == [(line.n, line.text) for line in whole]
    assert state.n == ended.n == text.count("\n")
    assert partial(*pieces) == partial(text)


@for_all(st.lists(FRAGMENTS, max_size=10))
def test_an_index_that_builds_no_lines_gets_to_the_same_state(fragments):
    state = LineState()
    for later, fragment in enumerate(fragments):
        state = advance(state, [fragment, ""], Micros(NOON + later))
    assert state == told(*fragments)[1]


@for_all(st.lists(FRAGMENTS, max_size=12))
def test_nothing_that_is_shown_can_harm_a_page(fragments):
    lines, state = told(*fragments)
    last = unfinished(state)
    for line in [*lines, *([last] if last else [])]:
        assert len(line.text) <= LINE_CHARS + len(TRUNCATED_MARK)
        assert not {*map(chr, range(32)), *map(chr, range(127, 160))} - {"\t"} & set(line.text)
