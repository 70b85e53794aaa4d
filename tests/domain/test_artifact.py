from __future__ import annotations

import pytest

from domain.artifact import register_artifact as registering
from tests.domain.given import given
from tests.factories import an_artifact


def test_an_artifact_is_recorded():
    given().when(registering(an_artifact())).then(an_artifact())


def test_the_same_registration_again_changes_nothing():
    completed = an_artifact(completion={"digest": "c" * 64})
    given(registering(completed)).when(registering(completed)).then(duplicates=1)


@pytest.mark.parametrize("change", [{"size_bytes": 2}, {"completion": {"digest": "d" * 64}}, {"format": "megatron"}])
def test_a_different_registration_is_the_next_version(change):
    given(registering(an_artifact())).when(registering(an_artifact(**change))).then(an_artifact(**change))


def test_an_artifact_of_no_step_is_not_that_of_step_0():
    given(registering(an_artifact(step=None))).when(registering(an_artifact(step=0))).then(an_artifact(step=0))
    assert registering(an_artifact(step=None)).stream != registering(an_artifact(step=0)).stream
