"""Lifecycle over HTTP: forward only, repeats are duplicates, the first terminal event stands."""

import threading

import pytest

from domain.events import LifecycleReported

TS = "2026-01-01T00:00:00Z"


def test_an_attempt_moves_forward_and_its_first_end_stands(job, stored):
    told = [
        ("starting", "accepted"),
        ("starting", "duplicates"),
        ("running", "accepted"),
        ("running", "duplicates"),
        ("succeeded", "accepted"),
        ("succeeded", "duplicates"),
        ("failed", "set_aside"),
        ("failed", "set_aside"),
    ]
    for event, fate in told:
        answer = job.post("lifecycle", event=event, ts=TS)
        assert answer.status_code == 200, answer.text
        assert [name for name in ("accepted", "duplicates", "set_aside") if answer.json()[name]] == [fate], event
    kept = [event.event for event in stored() if isinstance(event, LifecycleReported)]
    assert kept == ["starting", "running", "succeeded"]


def test_a_forward_jump_is_legal(job, stored):
    assert job.post("lifecycle", event="failed", ts=TS).json()["accepted"] == 1
    assert [event.event for event in stored()] == ["failed"]


def test_one_of_many_that_say_the_same_at_once_is_accepted(job, stored):
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(job.post("lifecycle", event="running"))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.json()["accepted"] for answer in answers) == [0] * 7 + [1]
    assert len(stored()) == 1


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"event": "exploded"}, "event"),
        ({"event": "created"}, "event"),
        ({"event": ""}, "event"),
        ({}, ""),
        ({"event": "running", "ts": "2026-01-01T00:00:00"}, "ts"),
        ({"event": "running", "ts": 1}, "ts"),
    ],
)
def test_what_is_no_lifecycle_is_refused(job, stored, body, path):
    answer = job.post("lifecycle", **body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["path"] == path
    assert stored() == []
