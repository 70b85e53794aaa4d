import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from application.queries.log import lines, text
from application.queries.page import cursor_of
from domain.errors import Refused, UnknownRun, UnknownThing
from domain.ids import RunId
from tests import factories as a
from tests.queries.reports import Reports


def shown(page):
    return [(one.n, one.text, one.partial) for one in page.lines]


def test_pieces_join_into_lines(reports):
    reports.of(a.a_log("first li"), a.a_log("ne\nsecond\n"))

    page = lines(reports.views, a.RUN)

    assert shown(page) == [(0, "first line", False), (1, "second", False)]
    assert (page.attempt, page.eof) == (0, False)


def test_bars_collapse_and_colours_go(reports):
    reports.of(a.a_log("10%|\r50%|\r100%|\n"), a.a_log("\x1b[31mred\x1b[0m 中文\n"))

    assert [one.text for one in lines(reports.views, a.RUN).lines] == ["100%|", "red 中文"]


def test_a_half_line_is_partial_and_keeps_its_number_when_it_is_whole(reports):
    reports.of(a.a_log("one\npar"))
    first = lines(reports.views, a.RUN)
    reports.of(a.a_log("tial\nnext\n"))

    then = lines(reports.views, a.RUN, cursor=first.next_cursor)

    assert shown(first) == [(0, "one", False), (1, "par", True)]
    assert shown(then) == [(1, "partial", False), (2, "next", False)]


def test_a_half_line_is_answered_again_only_when_it_has_grown(reports):
    reports.of(a.a_log("par"))
    first = lines(reports.views, a.RUN)
    again = lines(reports.views, a.RUN, cursor=first.next_cursor)
    reports.of(a.a_log("ti"))

    grown = lines(reports.views, a.RUN, cursor=again.next_cursor)

    assert (shown(again), again.next_cursor) == ([], first.next_cursor)
    assert shown(grown) == [(0, "parti", True)]


def test_a_half_line_for_which_there_is_no_room_comes_next(reports):
    reports.of(a.a_log("one\ntwo\nhalf"))

    first = lines(reports.views, a.RUN, limit=2)

    assert shown(first) == [(0, "one", False), (1, "two", False)]
    assert shown(lines(reports.views, a.RUN, cursor=first.next_cursor, limit=2)) == [(2, "half", True)]


def test_a_half_line_that_came_in_many_pieces_is_whole_on_whatever_page_it_ends(reports):
    reports.of(a.a_log("a\n"), *(a.a_log(piece) for piece in "bcd"), a.a_log("e\nf\n"))

    first = lines(reports.views, a.RUN, limit=1)

    assert shown(lines(reports.views, a.RUN, cursor=first.next_cursor)) == [(1, "bcde", False), (2, "f", False)]


def test_a_line_is_timed_by_its_first_piece(reports):
    reports.of(a.a_log("first li"), a.a_log("ne\n"))

    assert [one.ts for one in lines(reports.views, a.RUN).lines] == ["2026-01-01T00:00:03.000000Z"]


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 1000])
def test_pages_of_any_size_leave_nothing_out_and_repeat_nothing(reports, limit):
    reports.of(*(a.a_log(f"{n}a\n{n}b\n{n}", f"c\n{n}d") for n in range(100)), a.a_log("", eof=True))

    found, page = [], lines(reports.views, a.RUN, limit=limit)
    for _ in range(500):
        if page.eof:
            break
        found += shown(page)
        assert len(page.lines) <= limit
        page = lines(reports.views, a.RUN, cursor=page.next_cursor, limit=limit)
    found += shown(page)

    whole = "".join(f"{n}a\n{n}b\n{n}c\n{n}d" for n in range(100)).split("\n")
    assert found == [(n, line, n == len(whole) - 1) for n, line in enumerate(whole)]


def test_a_page_of_many_pieces_is_as_full_as_its_limit_allows(reports):
    reports.of(*(a.a_log(f"{n}\n") for n in range(200)))

    assert [one.n for one in lines(reports.views, a.RUN, limit=150).lines] == list(range(150))
    assert len(lines(reports.views, a.RUN, limit=1000).lines) == 200


def test_the_end_is_the_end_only_when_all_of_it_was_answered(reports):
    reports.of(a.a_log("one\ntwo\n", eof=True))

    first = lines(reports.views, a.RUN, limit=1)
    last = lines(reports.views, a.RUN, cursor=first.next_cursor, limit=1)

    assert (first.eof, last.eof, last.next_cursor) == (False, True, None)


def test_who_saw_the_end_may_come_back_and_is_told_again(reports):
    reports.of(a.a_log("one\n", eof=True))

    last = lines(reports.views, a.RUN)
    back = lines(reports.views, a.RUN, cursor=last.cursor)

    assert (shown(back), back.eof) == ([], True)


def test_an_end_without_a_word_is_an_end(reports):
    reports.of(a.a_log("", eof=True))

    page = lines(reports.views, a.RUN)

    assert (page.lines, page.eof) == ([], True)


def test_the_tail_is_the_last_lines_and_goes_on_from_there(reports):
    reports.of(*(a.a_log(f"{n}\n") for n in range(200)), a.a_log("half"))

    page = lines(reports.views, a.RUN, tail=3)
    reports.of(a.a_log(" and half\n"))

    assert shown(page) == [(198, "198", False), (199, "199", False), (200, "half", True)]
    assert shown(lines(reports.views, a.RUN, cursor=page.next_cursor)) == [(200, "half and half", False)]


def test_a_page_of_much_text_ends_early_and_goes_on(reports, monkeypatch):
    monkeypatch.setattr("application.queries.log._BYTES", 10)
    reports.of(a.a_log("12345678\n"), a.a_log("abcdefgh\n"), a.a_log("end\n"))

    first = lines(reports.views, a.RUN)

    assert [one.text for one in first.lines] == ["12345678"]
    assert [one.text for one in lines(reports.views, a.RUN, cursor=first.next_cursor).lines] == ["abcdefgh"]


def test_the_latest_attempt_is_shown_and_any_can_be_asked_for(restarted):
    restarted.of(a.a_log("zero\n"), a.a_log("one\n", attempt=1), a.a_log("zero again\n"))

    assert [one.text for one in lines(restarted.views, a.RUN).lines] == ["one"]
    assert [one.text for one in lines(restarted.views, a.RUN, attempt=0).lines] == ["zero", "zero again"]
    assert "".join(text(restarted.views, a.RUN)) == "one\n"
    assert "".join(text(restarted.views, a.RUN, attempt=0)) == "zero\nzero again\n"


def test_a_reader_stays_with_the_attempt_it_began_with(reports):
    reports.of(a.a_log("zero\n"))
    page = lines(reports.views, a.RUN)
    reports.of(a.an_execution(attempt=1, token_id="t2"), a.a_log("one\n", attempt=1), a.a_log("more of zero\n"))

    page = lines(reports.views, a.RUN, cursor=page.next_cursor)

    assert (page.attempt, [one.text for one in page.lines]) == (0, ["more of zero"])


def test_a_run_that_has_not_started_has_no_lines_and_can_be_followed(nothing):
    nothing.of(a.a_run())
    page = lines(nothing.views, a.RUN)
    nothing.of(a.an_execution(), a.a_log("one\n"))

    assert (page.attempt, page.lines, page.eof) == (None, [], False)
    assert shown(lines(nothing.views, a.RUN, cursor=page.next_cursor)) == [(0, "one", False)]


def test_the_original_text_comes_back_to_the_character(reports):
    pieces = ["first li", "ne\nsecond\n", "10%|\r50%|\r100%|\n", "\x1b[31mred\x1b[0m 中文\n", "", "no end"]
    reports.of(*(a.a_log(piece) for piece in pieces[:3]), a.a_log(*pieces[3:]))

    assert "".join(text(reports.views, a.RUN)) == "".join(pieces)


def test_an_original_of_many_pieces_comes_in_pieces(reports, monkeypatch):
    monkeypatch.setattr("application.queries.log._BYTES", 10)
    reports.of(*(a.a_log(f"{n}\n") for n in range(300)))

    assert list(text(reports.views, a.RUN)) == [f"{n}\n" for n in range(300)]


def test_the_log_can_be_read_as_it_was(reports):
    *_, before = reports.of(a.a_log("early\n"))
    reports.of(a.a_log("late\n", eof=True))

    page = lines(reports.views_at(before), a.RUN)

    assert ([one.text for one in page.lines], page.eof) == (["early"], False)


def test_repeated_pieces_of_clients_that_do_not_number_them_are_all_kept(reports):
    reports.of(a.a_log("again\n"), a.a_log("again\n"))

    assert shown(lines(reports.views, a.RUN)) == [(0, "again", False), (1, "again", False)]


def test_junk_for_a_cursor_is_refused(reports):
    reports.of(a.a_log("one\n"))

    for junk in ("x", "é", "AAAA", "WyJsb2ciXQ", "a" * 10_000, "W10", "eyJhIjoxfQ"):
        with pytest.raises(Refused):
            lines(reports.views, a.RUN, cursor=junk)


@pytest.mark.parametrize("parts", [(-1, 0, 0), (0, -1, 0), (0, 0, -1), (1, 0, 0)])
def test_a_cursor_made_by_hand_opens_nothing(reports, parts):
    reports.of(a.a_log("one\n"))

    with pytest.raises(Refused):
        lines(reports.views, a.RUN, cursor=cursor_of("log", a.RUN, *parts))


def test_a_cursor_of_another_run_or_attempt_is_refused(restarted):
    other = RunId("run-2")
    restarted.of(a.a_run(run=other), a.an_execution(run=other), a.a_log("one\n", attempt=1))
    cursor = lines(restarted.views, a.RUN).next_cursor

    with pytest.raises(Refused):
        lines(restarted.views, other, cursor=cursor)
    with pytest.raises(Refused):
        lines(restarted.views, a.RUN, attempt=0, cursor=cursor)


def test_unknown_runs_and_attempts_are_told_apart(reports):
    with pytest.raises(UnknownRun):
        lines(reports.views, RunId("nowhere"))
    with pytest.raises(UnknownThing):
        lines(reports.views, a.RUN, attempt=7)
    with pytest.raises(UnknownThing):
        text(reports.views, a.RUN, attempt=7)


@pytest.mark.parametrize("bound", [{"limit": 0}, {"limit": 1001}, {"tail": 0}, {"tail": 1001}])
def test_a_limit_outside_its_bounds_is_refused(reports, bound):
    with pytest.raises(Refused):
        lines(reports.views, a.RUN, **bound)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.text("ab\n", max_size=8), st.booleans()), max_size=20), st.integers(1, 4))
def test_a_follower_sees_every_line_however_the_text_is_cut_and_whenever_it_looks(story, limit):
    reports = Reports()
    reports.of(a.a_run(), a.an_execution())
    known: dict[int, tuple[str, bool]] = {}
    cursor, eof = None, False
    for number, (piece, look) in enumerate([*story, ("", True)]):
        last = number == len(story)
        reports.of(a.a_log(piece, eof=last))
        more = look
        while more and not eof:
            page = lines(reports.views, a.RUN, cursor=cursor, limit=limit)
            assert all(one.n not in known or known[one.n][1] for one in page.lines), "a whole line came again"
            known |= {one.n: (one.text, one.partial) for one in page.lines}
            cursor, eof = page.cursor, page.eof
            more = bool(page.lines)

    *whole, rest = "".join(piece for piece, _ in story).split("\n")
    assert eof
    assert known == {n: (line, False) for n, line in enumerate(whole)} | ({len(whole): (rest, True)} if rest else {})
