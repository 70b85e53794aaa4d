from __future__ import annotations

from domain.validation_metric import report_validation_metric as reporting
from tests.domain.given import given
from tests.factories import a_validation_metric


def test_a_metric_of_a_round_is_recorded():
    given().when(reporting(a_validation_metric())).then(a_validation_metric())


def test_another_value_of_the_key_is_set_aside():
    late = a_validation_metric(value=0.75)
    given(reporting(a_validation_metric())).when(reporting(late)).then(set_aside=[late])


def test_another_unit_is_another_report():
    late = a_validation_metric(unit="native")
    given(reporting(a_validation_metric())).when(reporting(late)).then(set_aside=[late])


def test_the_same_value_again_changes_nothing():
    given(reporting(a_validation_metric())).when(reporting(a_validation_metric(ts=None))).then(duplicates=1)
