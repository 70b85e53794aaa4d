"""Trials and samples of a round, as programs ask for them."""

import pytest

from tests.console.test_validation import outcome
from tests.http.people import personal_token


@pytest.fixture
def ask(server, job):
    """Asks as somebody who may read text."""
    token = personal_token(server, "reader", permissions=frozenset({"content"}))

    def get(path: str, **query: object):
        address = f"/api/runs/{job.run_id}/validation/rounds/{path}"
        return server.client.get(address, params=query, headers={"Authorization": f"Bearer {token}"})

    return get


def test_trials_are_asked_for_by_status_text_and_what_became_of_their_reports(job, ask):
    events = [outcome("r", f"task {n}", "success") for n in range(3)]
    events += [outcome("r", "task 1", "failure", trial_attempt=1), outcome("r", "task 2", "unscored")]
    assert job.post("observations", events=events, contract=None).json()["set_aside"] == 1

    def ids(**query: object) -> list[str]:
        return [one["trial_id"] for one in ask("r/trials", **query).json()["items"]]

    assert ids() == ["task 0", "task 1", "task 2"]
    assert ids(status="success") == ["task 0", "task 2"]
    assert ids(q="K 1") == ["task 1"]
    assert ids(retried="true") == ["task 1"]
    assert ids(set_aside="true") == ["task 2"]
    assert ids(set_aside="true", status="failure") == []
    assert ask("r/trials", status="lost").status_code == 422
    assert ask("r/trials", q="\0").status_code == 422
    (first, *_) = ask("r/trials").json()["items"]
    assert (first["set_aside"], first["termination"], first["reason"]) == (0, None, None)


def test_samples_are_asked_for_from_a_number_on(job, ask):
    rows = [{"idx": n, "user": "q", "assistant": "a"} for n in (1, 3, 5)]
    assert job.post("validation", step=7, samples=rows).status_code == 200

    assert [one["idx"] for one in ask("7/samples", **{"from": 2}).json()["items"]] == [3, 5]
    assert ask("7/samples", **{"from": -1}).status_code == 422
    assert ask("7/samples", **{"from": 2**63}).status_code == 422
