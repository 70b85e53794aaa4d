"""Trajectories over HTTP: stored whole and once, or not at all."""

import hashlib
import json
import math

import msgspec
import pytest

from adapters.memory.event_log import MemoryEventLog
from adapters.memory.object_store import MemoryObjectStore
from application.commands.store_trajectory import StoreTrajectory
from domain.errors import IdentityTaken, TryAgain, UnknownThing
from domain.events import TrajectoryDeleted, TrajectoryStored


def a_message(**changes):
    return {"role": "user", "content": "hello", **changes}


def a_trace(**changes):
    trace = {
        "scope": "validation",
        "round_id": "r",
        "trial_id": "t",
        "trial_attempt": 0,
        "messages": [a_message()],
        "complete": True,
        "capture_policy": "all",
        **changes,
    }
    return {"total_messages": len(trace["messages"]), **trace}


def bodies(job):
    return {one.key: job.server.container.bodies().get(one.key) for one in job.server.container.bodies().keys("")}


def test_the_body_is_kept_as_canonical_json_and_the_event_names_it(job, stored):
    sent = a_trace(
        messages=[a_message(content="ünïcode \0"), a_message(role="tool", tool_name="calc", tokens=3, duration_ms=1.5)],
        reward=0.5,
        step=3,
        diagnostic="low_reward",
        termination="limit",
        collection_policy="7",
        source_rows=9,
        roles_inferred=True,
    )
    before = set(bodies(job))
    assert job.post("trajectory", trace=sent).json()["accepted"] == 1
    (event,) = stored()
    assert isinstance(event, TrajectoryStored)
    identity = hashlib.sha256(json.dumps(["validation", "r", "t", 0]).encode()).hexdigest()
    assert event.trajectory_id == identity
    (key,) = set(bodies(job)) - before
    body = bodies(job)[key]
    assert (event.object_key, event.body_digest, event.size_bytes) == (key, hashlib.sha256(body).hexdigest(), len(body))
    assert json.loads(body) == sent
    assert (event.total_messages, event.retained_messages, event.reward, event.roles_inferred) == (2, 2, 0.5, True)


def test_the_order_of_keys_and_spaces_do_not_make_other_bytes(job):
    sent = a_trace()
    assert job.post("trajectory", trace=sent).json()["accepted"] == 1
    turned = json.dumps({"trace": dict(reversed(sent.items())), "run_id": job.run_id}, indent=2)
    assert job.send("trajectory", turned.encode()).json()["duplicates"] == 1
    assert job.packed("trajectory", trace=sent).json()["duplicates"] == 1


def test_other_bytes_for_an_identity_are_409_and_leave_nothing(job, stored):
    job.post("trajectory", trace=a_trace())
    kept, mark = bodies(job), len(stored())
    answer = job.post("trajectory", trace=a_trace(messages=[a_message(content="other")]))
    assert answer.status_code == 409
    assert answer.headers["content-type"] == "application/problem+json"
    assert bodies(job) == kept
    assert len(stored()) == mark
    assert job.post("trajectory", trace=a_trace(trial_attempt=1)).status_code == 200


def test_a_retry_does_not_bring_a_deleted_body_back(job, stored):
    job.post("trajectory", trace=a_trace())
    (event,) = stored()
    delete = job.server.container.delete_trajectory()
    for _ in range(2):
        delete(job.run_id, event.attempt, event.trajectory_id, deleted_by="ada")
    assert event.object_key not in bodies(job)
    assert job.post("trajectory", trace=a_trace()).json()["duplicates"] == 1
    assert event.object_key not in bodies(job)
    assert len([one for one in stored() if isinstance(one, TrajectoryDeleted)]) == 1


def test_what_was_never_kept_cannot_be_deleted(job):
    with pytest.raises(UnknownThing):
        job.server.container.delete_trajectory()(job.run_id, job.attempt, "0" * 64, deleted_by="ada")


class AwayStore(MemoryObjectStore):
    def put(self, key, body, sha256):
        raise TryAgain("The store is away.")


def test_a_store_that_is_away_is_503_and_stores_nothing(job, stored):
    intake = job.server.container.intake()
    kept, intake.trajectories._bodies = intake.trajectories._bodies, AwayStore()
    try:
        answer = job.post("trajectory", trace=a_trace())
    finally:
        intake.trajectories._bodies = kept
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert stored() == []
    assert job.post("trajectory", trace=a_trace()).status_code == 200


@pytest.mark.parametrize(
    "trace",
    [
        a_trace(
            messages=[a_message(content="x" * 16_384)] * 60,
            total_messages=2000,
            complete=False,
            capture_policy="sampled",
        ),
        a_trace(messages=[a_message(content="")] * 1024),
        a_trace(round_id="ü" * 128, trial_id="t" * 128, trial_attempt=2**31 - 1, scope="training"),
        a_trace(messages=[a_message(tool_call_id="c" * 128, tokens=0)], collection_policy="p" * 256),
    ],
    ids=range(4),
)
def test_what_is_within_every_limit_is_taken(job, trace):
    answer = job.post("trajectory", trace=trace)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"scope": "other"}, "scope"),
        ({"round_id": ""}, "round_id"),
        ({"round_id": "r" * 129}, "round_id"),
        ({"trial_id": "a\0"}, "trial_id"),
        ({"trial_id": "t" * 129}, "trial_id"),
        ({"trial_attempt": -1}, "trial_attempt"),
        ({"trial_attempt": 2**31}, "trial_attempt"),
        ({"trial_attempt": True}, "trial_attempt"),
        ({"messages": []}, "messages"),
        ({"messages": [a_message()] * 1025}, "messages"),
        ({"messages": [a_message(role="wizard")]}, "messages[0].role"),
        ({"messages": [a_message(content="x" * 16_385)]}, "messages[0].content"),
        ({"messages": [a_message(tool_call_id="c" * 129)]}, "messages[0].tool_call_id"),
        ({"messages": [a_message(tokens=-1)]}, "messages[0].tokens"),
        ({"messages": [a_message(duration_ms="1")]}, "messages[0].duration_ms"),
        ({"messages": [a_message(content="x" * 16_384)] * 70}, ""),
        ({"total_messages": 2}, "total_messages"),
        ({"total_messages": 0, "complete": False}, "total_messages"),
        ({"complete": 1}, "complete"),
        ({"capture_policy": "some"}, "capture_policy"),
        ({"diagnostic": "bad"}, "diagnostic"),
        ({"collection_policy": "p" * 257}, "collection_policy"),
        ({"consumption_policy": "p" * 257}, "consumption_policy"),
        ({"termination": "p" * 257}, "termination"),
        ({"reward": "high"}, "reward"),
        ({"step": -1}, "step"),
    ],
    ids=range(26),
)
def test_wrong_trajectories_are_refused_by_name(job, stored, changes, path):
    kept = bodies(job)
    answer = job.post("trajectory", trace=a_trace(**changes))
    assert answer.status_code in {413, 422}, answer.text
    if answer.status_code == 422:
        assert answer.json()["errors"][0]["path"] == f"trace.{path}".rstrip(".")
    assert stored() == []
    assert bodies(job) == kept


@pytest.mark.parametrize(("where", "value"), [("reward", math.nan), ("tokens", math.inf), ("duration_ms", math.nan)])
def test_non_finite_numbers_in_messagepack_are_refused(job, stored, where, value):
    changed = a_trace(reward=value) if where == "reward" else a_trace(messages=[a_message(**{where: value})])
    answer = job.packed("trajectory", trace=changed)
    assert answer.status_code == 422
    assert stored() == []


@pytest.mark.parametrize(("size", "status"), [(1_048_576, 200), (1_048_577, 422)])
def test_a_document_has_at_most_1_mib_of_json(job, size, status):
    trace = a_trace(messages=[a_message(content="x" * 16_000)] * 65 + [a_message(content="")])
    short = size - len(json.dumps(trace, separators=(",", ":")).encode())
    trace["messages"][-1] = a_message(content="x" * short)
    assert len(json.dumps(trace, separators=(",", ":")).encode()) == size
    raw = json.dumps({"run_id": job.run_id, "trace": trace}, separators=(",", ":")).encode()
    assert job.send("trajectory", raw).status_code == status


def test_the_body_of_a_report_that_lost_a_race_is_removed(job, stored):
    """Two bodies at once: the second had not seen the first when it was put."""
    job.post("trajectory", trace=a_trace())
    kept = bodies(job)
    (event,) = stored()

    class Unseen(MemoryEventLog):
        def stream(self, stream, after_version=0):
            return []

    container = job.server.container
    store = StoreTrajectory(container.commit(), Unseen(), container.bodies())
    late = msgspec.structs.replace(
        event, object_key="trajectories/late", body_digest=hashlib.sha256(b"late").hexdigest()
    )
    with pytest.raises(IdentityTaken):
        store(late, b"late")
    assert bodies(job) == kept
