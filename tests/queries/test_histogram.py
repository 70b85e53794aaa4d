import pytest

from application.queries.histogram import histogram_history, intervals, latest_histograms
from application.queries.observation import NAMES, observed_names
from domain.errors import Refused, UnknownThing
from tests import factories as a


def histogram(n: int, counts=(1, 2, 3), bounds=(0, 1.5), name: str = "age", **changes):
    given = {"id": f"h{n}", "kind": "histogram", "name": name, "bounds": bounds, "counts": counts, "values": {}}
    return a.an_observation(**{**given, **changes})


def test_one_name_over_the_steps_as_it_was_reported(reports):
    reports.of(histogram(1, step=20), histogram(2, step=10, counts=(0, 0, 7), policy_version=4), a.an_observation())

    found = histogram_history(reports.views, a.RUN, "age")

    (one,) = found.sets
    assert (one.bounds, one.intervals) == ([0, 1.5], ["(-∞, 0]", "(0, 1.5]", "(1.5, ∞)"])
    assert [(said.step, said.counts, said.total, said.policy_version) for said in one.reports] == [
        (10, [0, 0, 7], 7, 4),
        (20, [1, 2, 3], 6, None),
    ]
    assert (found.reported, found.next_cursor) == (2, None)


def test_reports_of_one_step_and_of_other_bounds_are_never_added_up(restarted):
    restarted.of(histogram(1, step=1), histogram(2, step=1), histogram(3, step=1, bounds=(0,), counts=(9, 9)))
    restarted.of(histogram(1, step=0, attempt=1))

    found = histogram_history(restarted.views, a.RUN, "age")

    assert [[(said.step, said.attempt, said.total) for said in one.reports] for one in found.sets] == [
        [(0, 1, 6), (1, 0, 6), (1, 0, 6)],
        [(1, 0, 18)],
    ]
    assert histogram_history(restarted.views, a.RUN, "age", attempt=1).reported == 1
    with pytest.raises(UnknownThing):
        histogram_history(restarted.views, a.RUN, "age", attempt=2)


def test_earlier_reports_follow_without_gap_or_repeat(reports):
    reports.of(*(histogram(n, step=n) for n in range(7)))

    pages: list[list[int | None]] = []
    cursor = None
    while cursor is not None or not pages:
        found = histogram_history(reports.views, a.RUN, "age", limit=3, cursor=cursor)
        pages.append([said.step for one in found.sets for said in one.reports])
        cursor = found.next_cursor

    assert pages == [[4, 5, 6], [1, 2, 3], [0]]
    with pytest.raises(Refused):
        histogram_history(reports.views, a.RUN, "age", limit=1001)


def test_the_latest_of_a_name_is_found_behind_any_number_of_others(reports):
    reports.of(histogram(1, name="rare", step=None), *(histogram(100 + n, step=n) for n in range(150)))

    found = latest_histograms(reports.views, a.RUN, observed_names(reports.views, a.RUN).items, attempt=None, limit=12)

    assert [(one.name, one.report.step) for one in found] == [("age", 149), ("rare", None)]


def test_a_name_is_known_by_the_kinds_that_came_under_it(restarted):
    restarted.of(a.an_observation(name="x"), histogram(1, name="x"), a.an_observation(name="y", attempt=1))
    restarted.of(a.an_observation(name="x", attempt=1))

    found = observed_names(restarted.views, a.RUN)

    assert [(one.name, one.kinds) for one in found.items] == [("x", ["event", "histogram"]), ("y", ["event"])]
    assert not found.more
    assert [one.name for one in observed_names(restarted.views, a.RUN, attempt=0).items] == ["x"]


def test_names_are_bounded_and_say_so(reports):
    reports.of(*(a.an_observation(id=f"{n}", name=f"n{n}") for n in range(NAMES + 1)))

    found = observed_names(reports.views, a.RUN)

    assert (len(found.items), found.more) == (NAMES, True)


def test_intervals_that_are_close_read_differently():
    assert intervals([1_000_000.25, 1_000_000.5]) == [
        "(-∞, 1000000.25]",
        "(1000000.25, 1000000.5]",
        "(1000000.5, ∞)",
    ]
