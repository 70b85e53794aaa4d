"""A job's environment, and the reporting functions in it."""

from collections.abc import Callable, Iterator
from types import ModuleType

import pytest
from tuneplane import report

from tests.sdk.ingest_stub import Ingest

TOKEN = "tp_ing_abcdefghijklmnop"


def job_env(endpoint: str) -> dict[str, str]:
    return {
        "TUNEPLANE_JOB_ENABLED": "1",
        "TUNEPLANE_JOB_ENDPOINT": endpoint,
        "TUNEPLANE_JOB_RUN_ID": "run-1",
        "TUNEPLANE_JOB_TOKEN": TOKEN,
        "TUNEPLANE_JOB_ATTEMPT": "0",
    }


@pytest.fixture(autouse=True)
def _no_job(outside_a_job: None) -> None:
    """What runs the tests may be a job itself."""


@pytest.fixture
def reporting_to(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """The module `report` as a fresh process with this endpoint would have it."""

    def start(endpoint: str) -> ModuleType:
        for name, value in job_env(endpoint).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(report, "_here", report._Here())
        return report

    monkeypatch.setattr(report, "_here", report._Here())
    yield start
    session = report._here.session
    if session is not None:
        session.finish(0.2)
        session.sender.stop(5)
        session.sender._carrier.close()


@pytest.fixture
def reporting(ingest: Ingest, reporting_to: Callable[[str], ModuleType]) -> ModuleType:
    return reporting_to(ingest.endpoint)
