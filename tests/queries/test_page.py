import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from application.queries.moment import moment, moment_or_none
from application.queries.page import cursor_of, page_size, parts_of
from application.queries.run import runs
from domain.errors import Refused
from domain.ids import RunId
from tests import factories as a
from tests.queries.reports import Reports


@given(st.tuples(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), st.integers(0, 2**63 - 1)))
def test_a_cursor_comes_back_as_it_was_made(parts):
    cursor = cursor_of("list", *parts)

    assert parts_of(cursor, "list", tuple[str, int]) == parts
    assert cursor.isascii()
    assert not set(cursor) & set("+/= ")


@given(st.text() | st.binary().map(lambda raw: base64.urlsafe_b64encode(raw).decode()))
def test_no_text_from_outside_is_more_than_refused(junk):
    with pytest.raises(Refused) as refused:
        parts_of(junk, "list", tuple[str, int])

    assert refused.value.faults[0].path == "cursor"


@pytest.mark.parametrize(
    "cursor",
    [
        cursor_of("other", "a", 1),
        cursor_of("list", "a"),
        cursor_of("list", "a", 1, 2),
        cursor_of("list", 1, "a"),
        cursor_of("list", "a\0", 1),
        cursor_of("list", "a", 2**63),
        cursor_of("list", "a", -(2**63)),
        cursor_of("list", "a", None),
        cursor_of("list", "a", 10**30),
        cursor_of("list", "a", True),
        cursor_of("list", "a", 1.5),
        cursor_of("list", "a" * 10_000, 1),
    ],
)
def test_a_cursor_of_another_shape_is_refused(cursor):
    with pytest.raises(Refused):
        parts_of(cursor, "list", tuple[str, int])


def test_junk_for_the_cursor_of_a_list_is_refused_and_an_empty_one_is_the_start(nothing):
    nothing.of(*(a.a_run(run=RunId(f"r{n}")) for n in range(3)))

    assert len(runs(nothing.views, now=a.NOON, cursor="").items) == 3
    for junk in ("x", "🙂", cursor_of("run", 1), cursor_of("run", "r", 1), cursor_of("round", 1, "r")):
        with pytest.raises(Refused):
            runs(nothing.views, now=a.NOON, cursor=junk)


def test_a_page_holds_50_unless_told_otherwise_and_1000_at_most():
    assert (page_size(None), page_size(1), page_size(1000)) == (50, 1, 1000)
    nothing = Reports()
    nothing.of(*(a.a_run(run=RunId(f"r{n:02}")) for n in range(51)))

    page = runs(nothing.views, now=a.NOON)

    assert len(page.items) == 50
    assert [one.run_id for one in runs(nothing.views, now=a.NOON, cursor=page.next_cursor).items] == ["r00"]


@pytest.mark.parametrize(
    ("at", "shown"),
    [
        (0, "1970-01-01T00:00:00.000000Z"),
        (1_767_225_600_000_001, "2026-01-01T00:00:00.000001Z"),
        (-1, "1969-12-31T23:59:59.999999Z"),
        (2**63 - 1, "9999-12-31T23:59:59.999999Z"),
        (-(2**63), "0001-01-01T00:00:00.000000Z"),
    ],
)
def test_times_are_iso_in_utc_and_none_stays_none(at, shown):
    assert moment(at) == moment_or_none(at) == shown
    assert moment_or_none(None) is None
