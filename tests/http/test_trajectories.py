"""Trajectories as programs read them: filtered, and gone from the past once they are gone."""

import pytest

from tests.bodies import keep
from tests.http.people import personal_token
from tests.http.test_ingest_trajectory import a_message, a_trace


@pytest.fixture
def get(server, job):
    """JSON of an address below the run's trajectories."""
    headers = {"Authorization": f"Bearer {personal_token(server, 'reads texts', permissions=frozenset({'content'}))}"}

    def read(path: str = "", status: int = 200, **query):
        address = f"/api/runs/{job.run_id}/trajectories{path}"
        answer = server.client.get(address, headers=headers, params=query)
        assert answer.status_code == status, answer.text
        return answer.json()

    return read


def trials(page) -> list[str]:
    return [one["trial_id"] for one in page["items"]]


def test_the_state_of_the_text_and_no_category_can_be_asked_for(server, job, get):
    job.post("trajectory", trace=a_trace(trial_id="a", diagnostic="failure"))
    job.post("trajectory", trace=a_trace(trial_id="b"))
    (deleted, _) = get()["items"]
    server.container.delete_trajectory()(job.run_id, job.attempt, deleted["trajectory_id"], deleted_by="ada")

    assert trials(get(diagnostic="none")) == ["b"]
    assert trials(get(state="deleted")) == ["b"]
    assert trials(get(state="retained")) == ["a"]
    assert trials(get(state="expired")) == []
    get(state="lost", status=422)


def test_a_text_that_was_deleted_since_is_not_read_from_the_past(server, job, get):
    position = job.post("trajectory", trace=a_trace(messages=[a_message(content="secret")])).json()["position"]
    (kept,) = get()["items"]
    name = kept["trajectory_id"]
    assert get(f"/{name}", as_of=position)["messages"][0]["content"] == "secret"
    bodies = server.container.bodies()
    known = {one.key: bodies.get(one.key) for one in bodies.keys("")}
    server.container.delete_trajectory()(job.run_id, job.attempt, name, deleted_by="ada")
    for key, body in known.items():  # as if the store had failed just then
        keep(bodies, key, body)

    found = get(f"/{name}", as_of=position)

    assert (found["state"], found["messages"], found["total_messages"]) == ("deleted", [], 1)
    assert trials(get(as_of=position, state="retained")) == ["t"]


def test_whoever_asks_for_a_deletion_again_does_not_move_its_time(server, job, get):
    job.post("trajectory", trace=a_trace())
    (kept,) = get()["items"]
    moments = []
    for name in ("ada", "ben"):
        server.container.delete_trajectory()(job.run_id, job.attempt, kept["trajectory_id"], deleted_by=name)
        moments.append(get()["items"][0]["deleted_at"])
    assert moments[0] == moments[1] is not None
