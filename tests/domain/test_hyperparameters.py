from __future__ import annotations

from domain.hyperparameters import report_hyperparameters as reporting
from tests.domain.given import given
from tests.factories import hyperparameters


def test_each_snapshot_is_recorded():
    second = hyperparameters(params={"lr": 2e-5})
    given(reporting(hyperparameters())).when(reporting(second)).then(second)


def test_the_latest_snapshot_again_changes_nothing():
    given(reporting(hyperparameters())).when(reporting(hyperparameters())).then(duplicates=1)


def test_an_older_snapshot_that_is_sent_again_late_is_recorded_again():
    second = hyperparameters(params={"lr": 2e-5})
    given(reporting(hyperparameters()), reporting(second)).when(reporting(hyperparameters())).then(hyperparameters())
