from __future__ import annotations

from domain.log import report_numbered, report_unnumbered
from tests.domain.given import given
from tests.factories import a_log


def test_numbered_pieces_sent_again_are_the_same_event():
    given(report_numbered(a_log("x"), "nonce", 1)).when(report_numbered(a_log("x"), "nonce", 1)).then(duplicates=1)


def test_other_pieces_under_a_taken_number_are_set_aside():
    given(report_numbered(a_log("x"), "nonce", 1)).when(report_numbered(a_log("y"), "nonce", 1)).then(
        set_aside=[a_log("y")]
    )


def test_a_line_printed_twice_is_kept_twice():
    given(report_numbered(a_log("x"), "nonce", 1)).when(report_numbered(a_log("x"), "nonce", 2)).then(a_log("x"))
    given(report_unnumbered(a_log("x"))).when(report_unnumbered(a_log("x"))).then(a_log("x"))


def test_unnumbered_pieces_are_appended_in_the_order_they_come():
    given(report_unnumbered(a_log("x"))).when(report_unnumbered(a_log("y")), report_unnumbered(a_log("z"))).then(
        a_log("y"), a_log("z")
    )
