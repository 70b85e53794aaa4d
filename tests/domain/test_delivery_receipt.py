import pytest

from domain.rules.delivery_receipt import receipt_line, whole_verdict


def told(sent=5, duplicates=0, set_aside=0, dropped=0, *, finished=True):
    said = {"sent_points": sent, "duplicate_points": duplicates, "set_aside_points": set_aside}
    return {**said, "dropped_points": dropped, "finished": finished}


def verdict(latest, stored, *, ended=True):
    line = receipt_line("points", latest, stored, ended=ended)
    assert line is not None
    return (line.verdict, line.gap)


def test_what_was_answered_and_is_stored_is_reconciled():
    assert verdict([told(5)], 5) == ("reconciled", None)
    assert verdict([told(5), told(7)], 12) == ("reconciled", None)


@pytest.mark.parametrize(
    ("stored", "expected"), [(10, "reconciled"), (8, "reconciled"), (7, "missing"), (11, "unknown")]
)
def test_of_repeats_only_the_server_knows_whether_they_are_stored_already(stored, expected):
    """Ten were answered, one of them as a repeat and one as set aside: eight at least are stored, ten at most."""
    assert verdict([told(10, duplicates=1, set_aside=1)], stored)[0] == expected


def test_a_drop_is_lossy_whoever_else_says_nothing():
    assert verdict([told(5, dropped=1)], 5) == ("lossy", None)
    assert verdict([{"dropped_points": 1}, {}], 5) == ("lossy", None)


def test_what_was_answered_and_is_gone_stands_before_what_was_dropped():
    assert verdict([told(5, dropped=1)], 4) == ("missing", None)


def test_a_client_that_counts_nothing_is_unknown():
    assert verdict([{"dropped_points": 0, "finished": True}], 5) == ("unknown", "totals_not_told")
    assert verdict([told(5), {"finished": True}], 5) == ("unknown", "totals_not_told")
    assert verdict([{"sent_points": 5, "finished": True}], 3) == ("unknown", "totals_not_told")


@pytest.mark.parametrize("odd", [True, -1, "5", float("nan"), float("inf"), 1e300])
def test_a_counter_that_is_no_count_is_not_told(odd):
    assert verdict([told() | {"sent_points": odd}], 5) == ("unknown", "totals_not_told")


def test_without_last_words_nothing_is_concluded():
    assert verdict([told(5, finished=False)], 5) == ("unknown", "not_finished")
    assert verdict([told(5), told(0, finished=False)], 5) == ("unknown", "not_finished")
    assert verdict([told(5, finished=False)], 5, ended=False) == ("unknown", "goes_on")


def test_more_than_was_told_came_from_somebody_else():
    assert verdict([told(5)], 6) == ("unknown", "more_stored")


def test_without_reporters_what_is_stored_is_counted_and_nothing_is_concluded():
    assert verdict([], 6) == ("unknown", "nobody_told")
    assert receipt_line("points", [], 0, ended=True) is None


def test_counts_are_told_together_only_where_everybody_told():
    line = receipt_line("points", [told(5, duplicates=1), {"sent_points": 2}], 7, ended=True)
    assert line is not None
    assert (line.sent, line.duplicates, line.dropped, line.stored) == (7, None, None, 7)


def test_what_was_dropped_is_told_though_not_everybody_tells():
    line = receipt_line("points", [told(5, dropped=3), {}], 5, ended=True)
    assert line is not None
    assert line.dropped == 3


def test_the_whole_is_as_good_as_its_worst_line():
    good, lossy = (receipt_line("points", [told(5, dropped=n)], 5, ended=True) for n in (0, 1))
    missing, unknown = (receipt_line("points", [told(5)], n, ended=True) for n in (4, 6))
    assert whole_verdict([]) == whole_verdict([None]) == "unknown"
    assert whole_verdict([good, None]) == "reconciled"
    assert whole_verdict([good, unknown]) == "unknown"
    assert whole_verdict([good, unknown, lossy]) == "lossy"
    assert whole_verdict([missing, lossy]) == "missing"
