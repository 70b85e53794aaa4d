"""Search over a whole log in bounded pieces; the line of a time; one line whole."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from application.queries.log import lines
from application.queries.log_place import line_at, whole_line
from application.queries.log_search import Wanted, search
from domain.errors import Refused, UnknownRun, UnknownThing
from domain.ids import Micros, RunId
from domain.rules.log_lines import LINE_CHARS
from tests import factories as a
from tests.queries.reports import SECOND, Reports


def text(wanted: str, *, errors: bool = False) -> Wanted:
    return Wanted(wanted, errors)


ERRORS = Wanted("", errors=True)


def numbers(page) -> list[int]:
    return [line.n for line in page.matches]


def test_literal_text_is_found_in_any_case_and_is_never_a_pattern(reports):
    reports.of(a.a_log("Loss is 1.5\n", "loss=1x5\n.*\n", "STRASSE Straße\n"))

    def found(wanted):
        return numbers(search(reports.views, a.RUN, text(wanted)))

    assert found("LOSS") == [0, 1]
    assert found("1.5") == [0]
    assert found(".*") == [2]
    assert found("strasse") == [3]
    assert found("[") == []


def test_what_looks_like_an_error_is_found_alone_and_together_with_text(reports):
    reports.of(a.a_log("fine\nValueError: a\n0 errors\nKeyError: b\n"))

    assert numbers(search(reports.views, a.RUN, ERRORS)) == [1, 3]
    assert numbers(search(reports.views, a.RUN, text("b", errors=True))) == [3]
    assert [line.error for line in lines(reports.views, a.RUN).lines] == [False, True, False, True]


def test_lines_are_searched_as_they_are_shown(reports):
    reports.of(a.a_log("\x1b[31mer\x1b[0mror here\n", "10% error\r100% done\n", "half an er"), a.a_log("ror\n"))

    assert [line.text for line in search(reports.views, a.RUN, text("error")).matches] == [
        "error here",
        "half an error",
    ]
    assert numbers(search(reports.views, a.RUN, ERRORS)) == [0, 2]


def test_of_a_line_that_is_cut_the_mark_is_not_found_and_neither_is_what_was_cut_off(reports):
    reports.of(a.a_log("x" * LINE_CHARS + "beyond\ntruncated\n", "y" * (LINE_CHARS + 1)))

    assert numbers(search(reports.views, a.RUN, text("truncated"))) == [1]
    assert numbers(search(reports.views, a.RUN, text("beyond"))) == []
    assert numbers(search(reports.views, a.RUN, text("x"))) == [0]


def test_an_unfinished_line_is_found_and_says_so(reports):
    reports.of(a.a_log("one\nan err"), a.a_log("or"))

    page = search(reports.views, a.RUN, text("error"))

    assert [(line.n, line.partial) for line in page.matches] == [(1, True)]
    assert (page.searched_from, page.searched_to, page.lines, page.next_cursor) == (0, 2, 2, None)


def test_a_search_that_stops_says_how_far_it_came_and_goes_on_there(reports, monkeypatch):
    monkeypatch.setattr("application.queries.log_search._BYTES", 10)
    reports.of(a.a_log("12345678\n"), a.a_log("abcdefgh\n"), a.a_log("12345678\n"))

    first = search(reports.views, a.RUN, text("123"))
    then = search(reports.views, a.RUN, text("123"), cursor=first.next_cursor)
    last = search(reports.views, a.RUN, text("123"), cursor=then.next_cursor)

    assert (numbers(first), first.searched_from, first.searched_to, first.lines) == ([0], 0, 1, 3)
    assert (numbers(then), then.searched_from, then.searched_to) == ([], 1, 2)
    assert (numbers(last), last.searched_to, last.next_cursor) == ([2], 3, None)


def test_many_small_pieces_are_not_all_looked_at_at_once(reports, monkeypatch):
    monkeypatch.setattr("application.queries.log_search._LOOKS", 1)
    reports.of(*(a.a_log(f"{n}\n") for n in range(100)))

    first = search(reports.views, a.RUN, text("99"))

    assert (numbers(first), first.searched_to) == ([], 64)
    assert numbers(search(reports.views, a.RUN, text("99"), cursor=first.next_cursor)) == [99]


def test_what_filled_one_answer_is_not_gone_beyond(reports, monkeypatch):
    monkeypatch.setattr("application.queries.log_search._BYTES", 128)
    reports.of(*(a.a_log("x\n") for _ in range(65)))

    assert search(reports.views, a.RUN, text("y")).searched_to == 64


def test_text_between_colours_is_found_where_nothing_else_is(reports):
    reports.of(a.a_log("plain\n"), a.a_log("\x1b[31mer\x1b[0mror\n"))

    assert numbers(search(reports.views, a.RUN, text("error"))) == [1]
    assert numbers(search(reports.views, a.RUN, ERRORS)) == [1]


def test_a_page_of_matches_ends_at_its_limit_and_the_next_begins_behind_it(reports):
    reports.of(a.a_log("hit\n" * 5))

    first = search(reports.views, a.RUN, text("hit"), limit=2)

    assert (numbers(first), first.searched_to) == ([0, 1], 2)
    assert numbers(search(reports.views, a.RUN, text("hit"), cursor=first.next_cursor, limit=9)) == [2, 3, 4]


def test_a_search_begins_where_it_is_told(reports):
    reports.of(a.a_log("hit\n" * 5))

    assert numbers(search(reports.views, a.RUN, text("hit"), first=3)) == [3, 4]
    beyond = search(reports.views, a.RUN, text("hit"), first=99)
    assert (numbers(beyond), beyond.searched_from, beyond.next_cursor) == ([], 5, None)


def test_old_attempts_are_searched_on_demand(restarted):
    restarted.of(a.a_log("zero\n"), a.a_log("one\n", attempt=1))

    assert [(page.attempt, numbers(page)) for page in (search(restarted.views, a.RUN, text("zero")),)] == [(1, [])]
    assert numbers(search(restarted.views, a.RUN, text("zero"), attempt=0)) == [0]


def test_a_run_without_lines_has_none(reports):
    page = search(reports.views, a.RUN, text("x"))

    assert (page.matches, page.lines, page.next_cursor) == ([], 0, None)


def test_what_cannot_be_asked_is_refused(restarted):
    restarted.of(a.a_log("one\n" * 3))
    cursor = search(restarted.views, a.RUN, text("one"), attempt=0, limit=1).next_cursor
    impossible: tuple[tuple[type[Exception], dict[str, Any]], ...] = (
        (Refused, {"wanted": Wanted("", errors=False)}),
        (Refused, {"cursor": "junk"}),
        (Refused, {"cursor": cursor, "attempt": 1}),
        (Refused, {"cursor": lines(restarted.views, a.RUN).next_cursor}),
        (UnknownThing, {"attempt": 7}),
    )
    for problem, asked in impossible:
        with pytest.raises(problem):
            search(restarted.views, a.RUN, **{"wanted": text("one"), **asked})
    with pytest.raises(UnknownRun):
        search(restarted.views, RunId("none"), text("x"))


pieces = st.lists(
    st.text(st.sampled_from("ab\n\rEror\x1b[m "), max_size=12).map(lambda one: one + "x"), min_size=1, max_size=12
)


@settings(max_examples=60, deadline=None)
@given(pieces, st.sampled_from(["a", "ab", "or", "x", "AX"]), st.integers(1, 3))
def test_a_search_finds_just_the_shown_lines_that_hold_the_text(printed, wanted, limit):
    reports = Reports()
    reports.of(a.a_run(), a.an_execution(), *(a.a_log(piece) for piece in printed))
    shown = lines(reports.views, a.RUN, limit=1000).lines

    found, cursor = [], None
    for _ in range(200):
        page = search(reports.views, a.RUN, text(wanted), cursor=cursor, limit=limit)
        found += numbers(page)
        cursor = page.next_cursor
        if cursor is None:
            break

    assert found == [line.n for line in shown if wanted.lower() in line.text.lower()]


def at(seconds: float) -> Micros:
    """Each report comes in a second after the one before; the first log is the third."""
    return Micros(a.NOON + int(seconds * SECOND))


def test_the_line_of_a_time_is_the_first_that_began_then_or_later(reports):
    reports.of(a.a_log("0\n1\n"), a.a_log("2\n3"), a.a_log(" goes on\n4\n"), a.a_log("5"))
    began = [3, 3, 4, 4, 5, 6]
    shown = lines(reports.views, a.RUN).lines
    assert [int(line.ts[17:19]) for line in shown] == began

    for second in (0, 2.5, 3, 3.5, 4, 5, 6, 7):
        expected = next((n for n, one in enumerate(began) if one >= second), 6)
        assert line_at(reports.views, a.RUN, at(second)) == expected, second


def test_a_time_in_a_log_without_lines_is_its_beginning(reports):
    assert line_at(reports.views, a.RUN, at(3)) == 0


def test_a_line_is_whole_however_many_pieces_it_came_in(reports):
    long = "x" * 10_000
    reports.of(a.a_log("a\n"), *(a.a_log(long) for _ in range(5)), a.a_log("\x1b[1mend\n", "b\nc"), a.a_log("d"))

    def whole(n):
        return whole_line(reports.views, a.RUN, n).text

    assert [whole(n) for n in range(4)] == ["a", long * 5 + "end", "b", "cd"]
    assert len(lines(reports.views, a.RUN).lines[1].text) == LINE_CHARS + len("…[truncated]")
    for n in (4, 99):
        with pytest.raises(UnknownThing):
            whole_line(reports.views, a.RUN, n)


def test_the_first_line_is_whole_when_nothing_has_ended_yet(reports):
    reports.of(a.a_log("first "), a.a_log("words"))

    assert whole_line(reports.views, a.RUN, 0).text == "first words"


def test_a_line_that_has_not_begun_is_none(reports):
    reports.of(a.a_log("first\n"))

    with pytest.raises(UnknownThing):
        whole_line(reports.views, a.RUN, 1)


def test_a_line_beyond_what_one_answer_holds_is_cut_and_says_so(reports, monkeypatch):
    monkeypatch.setattr("application.queries.log_place._BYTES", 10)
    reports.of(*(a.a_log("123456") for _ in range(3)), a.a_log("\n"))

    line = whole_line(reports.views, a.RUN, 0)

    assert (line.text, line.cut) == ("123456", True)
