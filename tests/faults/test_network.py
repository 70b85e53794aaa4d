"""F4: a network that stalls, resets and cuts. Training goes on, what was sent lands once, what was lost is counted."""

import csv
import io
from collections.abc import Iterator

import pytest
from tuneplane.credentials import Credentials
from tuneplane.outbox import CAPACITY_POINTS
from tuneplane.parcels import Requests
from tuneplane.session import Session

from tests.end_to_end.api import Api, Job
from tests.end_to_end.waiting import until
from tests.faults.broken_network import BrokenNetwork, Fault


@pytest.fixture
def job(api: Api) -> Job:
    return api.open_run("broken network")


@pytest.fixture
def network(server) -> Iterator[BrokenNetwork]:
    made = BrokenNetwork(server.url)
    yield made
    made.close()


@pytest.fixture
def session(network, job) -> Iterator[Session]:
    """What `tuneplane.report` reports with, through that network."""
    credentials = Credentials(f"{network.url}/api/ingest", job.run_id, job.token, job.attempt)
    made = Session(lambda stream: Requests(credentials, stream))
    yield made
    network.released.set()
    made.finish(5)


def await_faults(network: BrokenNetwork, count: int) -> None:
    until(lambda: len(network.met) == count, "the fault")


def curve(job: Job, key: str) -> list[tuple[int, float]]:
    job.position = job.api.get("/readyz")["position"]
    job.get()
    text = job.api.call("GET", f"/api/runs/{job.run_id}/series.csv?key={key}").body
    return [(int(row["step"]), float(row["value"])) for row in csv.DictReader(io.StringIO(text))]


def test_whatever_the_network_does_each_point_lands_once(network, session, job):
    expected = []
    for number, fault in enumerate(Fault):
        network.faults.append(fault)
        for step in range(number * 100, (number + 1) * 100):
            session.log({"loss": step / 7}, step=step)
            expected.append((step, step / 7))
        await_faults(network, number + 1)
        if fault is Fault.STALL:
            assert network.answers == []
            assert session.outbox.queued_points == 100
            network.released.set()
        until(lambda: session.outbox.queued_points == 0, "delivery")
    assert network.met == list(Fault)
    assert [answer["duplicates"] for answer in network.answers if answer["duplicates"]] == [100]
    assert sum(answer["accepted"] for answer in network.answers) == len(expected)
    assert session.health.dropped_points == 0
    assert curve(job, "loss") == expected
    assert job.get()["counts"]["points"] == len(expected)


def test_training_is_not_held_up_by_a_stall_and_what_was_dropped_is_what_is_missing(network, session, job):
    network.faults.append(Fault.STALL)
    session.log({"first": 0.0}, step=0)
    until(lambda: network.met, "the stall")
    for step in range(CAPACITY_POINTS // 10 + 500):
        session.log({f"k{index}": float(step) for index in range(10)}, step=step)
    # Every call has returned, and not one byte has gone through.
    assert not network.released.is_set()
    assert network.answers == []
    dropped = session.health.dropped_points
    assert dropped == 500 * 10 + 10  # the point that is on its way takes the place of a call
    network.released.set()
    session.finish(60)
    job.position = job.api.get("/readyz")["position"]
    found = job.get()
    assert found["transport"]["state"] == "lossy"
    assert found["transport"]["dropped_points"] == dropped
    assert found["counts"]["points"] == 1 + 10 * (CAPACITY_POINTS // 10 + 500) - dropped
    assert curve(job, "k9") == [(step, float(step)) for step in range(CAPACITY_POINTS // 10 - 1)]
