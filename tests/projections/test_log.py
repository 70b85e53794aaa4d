from application.projections.log import PIECE
from tests import factories as a
from tests.queries.reports import Reports


def test_only_pieces_in_which_a_line_ends_keep_what_was_before_them():
    reports = Reports()
    reports.of(a.a_run(), a.an_execution(), *(a.a_log(piece) for piece in ("one", " line\n", "", "next", "é\nx\n")))

    pieces = reports.views.records.find(PIECE)

    # An empty piece is none. What an unfinished line holds is kept once, where it ends, however many pieces it came in.
    assert [(one.position, one.ended, one.next_line, one.size_bytes) for one in pieces] == [
        (3, False, 0, 3),
        (4, True, 1, 6),
        (6, False, 1, 4),
        (7, True, 3, 5),
    ]
    assert [one.before and one.before.carry for one in pieces] == [None, "one", None, "next"]
