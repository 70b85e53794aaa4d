import pytest

from tests import factories as a
from tests.queries.reports import Reports


@pytest.fixture
def nothing() -> Reports:
    """An empty log."""
    return Reports()


@pytest.fixture
def reports(nothing: Reports) -> Reports:
    """One run with one open attempt, that has reported nothing."""
    nothing.of(a.a_run(), a.an_execution())
    return nothing


@pytest.fixture
def restarted(reports: Reports) -> Reports:
    """The run with a second attempt."""
    reports.of(a.an_execution(attempt=1, token_id="t2"))
    return reports
