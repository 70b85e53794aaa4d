from __future__ import annotations

import pytest

from domain.observation import declare_contract as declaring
from domain.observation import report_observation as reporting
from domain.series import report_collected_scalar
from tests.domain.given import given
from tests.factories import a_contract, a_metrics_batch, an_observation


def test_an_observation_is_recorded():
    given().when(reporting(an_observation())).then(an_observation())


@pytest.mark.parametrize("change", [{"values": {"turns": 9}}, {"name": "other"}, {"kind": "health"}, {"step": 1}])
def test_other_content_for_a_taken_id_is_set_aside(change):
    late = an_observation(**change)
    given(reporting(an_observation())).when(reporting(late)).then(set_aside=[late])


def test_the_same_observation_again_changes_nothing():
    given(reporting(an_observation())).when(reporting(an_observation(ts="2027-01-01T00:00:00Z"))).then(duplicates=1)


def test_numbers_that_are_equal_are_equal_whatever_their_type():
    given(reporting(an_observation(values={"turns": 4}))).when(reporting(an_observation(values={"turns": 4.0}))).then(
        duplicates=1
    )


def test_different_events_at_one_step_stay_distinct():
    second = an_observation(id="e2", step=3)
    given(reporting(an_observation(step=3))).when(reporting(second)).then(second)


def test_a_collected_scalar_shares_the_ids_of_observations():
    scalar = a_metrics_batch()
    given(report_collected_scalar(scalar, "e1")).when(
        report_collected_scalar(scalar, "e1"), reporting(an_observation(id="e1"))
    ).then(duplicates=1, set_aside=[an_observation(id="e1")])


def test_a_changed_contract_is_the_next_version_and_the_latest_again_changes_nothing():
    second = a_contract(contract={"version": 1, "capabilities": ["agent"]})
    given(declaring(a_contract())).when(declaring(second), declaring(second)).then(second, duplicates=1)


def test_a_contract_may_go_back_to_an_earlier_version():
    second = a_contract(contract={"version": 1, "capabilities": ["agent"]})
    given(declaring(a_contract()), declaring(second)).when(declaring(a_contract())).then(a_contract())
