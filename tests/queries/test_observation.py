import pytest

from application.queries.observation import observations
from domain.errors import Refused, UnknownThing
from tests import factories as a


def test_the_first_accepted_observation_stands(reports):
    reports.of(a.an_observation(), a.an_observation(), a.an_observation(values={"reason": "other", "turns": 9}))

    (item,) = observations(reports.views, a.RUN, name="agent/terminal").items

    assert (item.values, item.id, item.attempt, item.position) == ({"turns": 4}, "e1", 0, 3)


def test_a_histogram_comes_back_with_bounds_and_counts(reports):
    bounds = tuple(range(64))
    reports.of(a.an_observation(), a.an_observation(id="h", kind="histogram", bounds=bounds, counts=(1,) * 65))

    (item,) = observations(reports.views, a.RUN, kind="histogram").items

    assert (item.bounds, item.counts) == (list(bounds), [1] * 65)


def test_what_was_not_said_is_none(reports):
    reports.of(a.an_observation())

    (item,) = observations(reports.views, a.RUN).items

    assert (item.step, item.policy_version, item.bounds, item.counts) == (None, None, None, None)


def test_the_latest_100_come_newest_first_whatever_the_limit(reports):
    reports.of(*(a.an_observation(id=f"n{n}", values={"n": n}) for n in range(150)))

    for limit in (None, 100, 1000):
        page = observations(reports.views, a.RUN, limit=limit)
        assert [item.values["n"] for item in page.items] == list(range(149, 49, -1))
        assert page.next_cursor is None
    assert len(observations(reports.views, a.RUN, limit=3).items) == 3


def test_filters_come_before_the_100(reports):
    reports.of(a.an_observation(name="rare", id="r"), *(a.an_observation(id=f"n{n}") for n in range(150)))

    assert [item.id for item in observations(reports.views, a.RUN, name="rare").items] == ["r"]
    assert observations(reports.views, a.RUN, name="rare", kind="histogram").items == []


def test_all_attempts_are_listed_unless_one_is_asked_for(restarted):
    restarted.of(a.an_observation(), a.an_observation(attempt=1))

    assert [item.attempt for item in observations(restarted.views, a.RUN).items] == [1, 0]
    assert [item.attempt for item in observations(restarted.views, a.RUN, attempt=0).items] == [0]
    with pytest.raises(UnknownThing):
        observations(restarted.views, a.RUN, attempt=2)


def test_a_limit_outside_its_bounds_is_refused(reports):
    with pytest.raises(Refused):
        observations(reports.views, a.RUN, limit=1001)
