from __future__ import annotations

import pytest

from domain.errors import IdentityTaken
from domain.rules.retention import expires_at, state
from domain.trajectory import delete_trajectory as deleting
from domain.trajectory import store_trajectory as storing
from tests.domain.given import given
from tests.factories import NOON, a_trajectory, a_trajectory_deletion

SECOND = 1_000_000


def test_a_trajectory_is_recorded():
    given().when(storing(a_trajectory())).then(a_trajectory())


def test_the_same_bytes_again_change_nothing_wherever_and_however_long_they_would_be_kept():
    again = a_trajectory(object_key="trajectories/2", expires_at=NOON + SECOND)
    given(storing(a_trajectory())).when(storing(again)).then(duplicates=1)


def test_other_bytes_for_the_identity_are_refused():
    given(storing(a_trajectory())).when(storing(a_trajectory(body_digest="e" * 64))).refused(IdentityTaken)


def test_a_deleted_identity_stays_taken():
    past = given(storing(a_trajectory()), deleting(a_trajectory_deletion()))
    past.when(storing(a_trajectory())).then(duplicates=1)
    given(storing(a_trajectory()), deleting(a_trajectory_deletion())).when(
        storing(a_trajectory(body_digest="e" * 64))
    ).refused(IdentityTaken)


def test_a_deletion_is_recorded_once_for_each_who_asked():
    other = a_trajectory_deletion(deleted_by="bob")
    given(deleting(a_trajectory_deletion())).when(deleting(a_trajectory_deletion()), deleting(other)).then(
        other, duplicates=1
    )


def test_bodies_are_kept_for_seven_days():
    assert expires_at(NOON) - NOON == 7 * 24 * 3600 * SECOND
    assert expires_at(NOON, days=1) - NOON == 24 * 3600 * SECOND


@pytest.mark.parametrize(
    ("deleted", "since_expiry", "present", "told"),
    [
        (False, -1, True, "retained"),
        (False, -1, False, "missing"),
        (False, 0, True, "expired"),
        (False, 1, False, "expired"),
        (True, -1, True, "deleted"),
        (True, -1, False, "deleted"),
        (True, 1, False, "deleted"),
    ],
)
def test_a_page_says_what_became_of_a_body(deleted, since_expiry, present, told):
    assert state(expires_at=NOON, deleted=deleted, present=present, now=NOON + since_expiry) == told
