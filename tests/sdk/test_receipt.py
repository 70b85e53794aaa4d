"""The client's side of the delivery receipt: what was answered, what were repeats, whether it has finished."""

import json
import socket

import pytest
from tuneplane.answers import Answered
from tuneplane.reporter import Reporter

from tests.sdk.ingest_stub import CUT
from tests.sdk.test_run import run

ANSWER = {"position": 1, "accepted": 1, "duplicates": 0, "set_aside": 0}


def last(ingest, name="transport"):
    return [event for event in ingest.events() if event["name"] == name][-1]["values"]


def test_the_last_word_counts_points_and_events_and_says_that_it_is_the_last(ingest, reporting):
    ingest.answer = lambda path, body: (200, ANSWER)
    reporting.configure_observability(capabilities=["agent"])
    reporting.log({"a": 1.0, "b": float("nan")}, step=1)
    reporting.observe("agent/terminal", values={"turns": 3})
    reporting.finish()
    told = last(ingest)
    assert (told["sent_points"], told["sent_events"]) == (2, 2)
    assert told["duplicate_points"] == told["set_aside_points"] == told["duplicate_events"] == 0
    assert told["finished"] is True
    assert told["node"] == socket.gethostname()


def test_what_a_reporter_sends_beside_the_session_is_in_the_same_receipt(ingest, reporting):
    ingest.answer = lambda path, body: (200, {**ANSWER, "duplicates": int(body.count(b'"again"'))})
    reporting.observe("agent/terminal", values={"turns": 3})
    with Reporter.from_env() as reporter:
        reporter.observations({"events": [{"id": "1", "name": "a"}, {"id": "again", "name": "a"}]})
        reporter.observations({"contract": {"version": 1}})
        other = Reporter(ingest.endpoint, "another run", "tp_ing_other")
        other.observations({"events": [{"id": "2", "name": "a"}]})
        other.close()
    reporting.finish()
    told = last(ingest)
    assert (told["sent_events"], told["duplicate_events"]) == (4, 1)


def test_a_heartbeat_on_the_way_is_not_the_last_word(ingest, reporting):
    reporting.log({"a": 1.0}, step=1)
    reporting.finish()
    told = [event["values"]["finished"] for event in ingest.events() if event["name"] == "transport"]
    assert told[-1] is True
    assert told[:-1] == [False] * (len(told) - 1)
    assert len(told) > 1


def test_a_repeat_is_counted_as_the_server_answers_it(ingest, reporting):
    lost = iter([CUT, CUT])
    repeat = {**ANSWER, "accepted": 0, "duplicates": 2}
    ingest.answer = lambda path, body: next(lost, (200, repeat)) if path == "metrics" else (200, ANSWER)
    reporting.log({"a": 1.0, "b": 2.0}, step=1)
    reporting.finish()
    told = last(ingest)
    assert (told["sent_points"], told["duplicate_points"], told["dropped_points"]) == (2, 2, 0)


def test_what_was_refused_is_dropped_and_not_sent(ingest, reporting):
    ingest.answer = lambda path, body: 422 if path == "metrics" else (200, ANSWER)
    reporting.log({"a": 1.0}, step=1)
    reporting.finish()
    told = last(ingest)
    assert (told.get("sent_points"), told["dropped_points"]) == (0, 1)


def test_events_that_had_to_be_sent_apart_are_counted_once_each(ingest, reporting):
    ingest.answer = lambda path, body: 422 if body.count(b'"name"') > 1 else (200, ANSWER)
    for name in ("x", "y", "z"):
        reporting.observe(name)
    reporting.finish()
    told = last(ingest)
    assert (told["sent_events"], told["dropped_events"]) == (3, 0)


@pytest.mark.parametrize(
    "body", [b"", b"no json", b"[]", b"{}", b'{"duplicates": "0", "set_aside": 0}', b"[" * 100_000]
)
def test_an_answer_that_does_not_count_leaves_repeats_unknown(body):
    answered = Answered("points")
    answered.count(3, 200, body)
    assert answered.values() == {"sent_points": 3}


def test_what_went_into_files_was_answered_by_nobody():
    answered = Answered("points")
    answered.count(3, 0, b"")
    assert answered.values() == {}


def test_an_answer_that_counts_a_request_as_one_is_weighed_with_what_it_carried():
    answered = Answered("bytes")
    answered.count(100, 200, json.dumps({**ANSWER, "duplicates": 1}).encode(), together=True)
    answered.count(0, 200, json.dumps(ANSWER).encode(), together=True)
    assert answered.values() == {"sent_bytes": 100, "duplicate_bytes": 100, "set_aside_bytes": 0}


def test_the_runner_tells_how_much_log_was_answered(ingest):
    ingest.answer = lambda path, body: (200, ANSWER)
    assert run(ingest.endpoint, "print('größe')").returncode == 0
    told = last(ingest, "log_delivery")
    assert (told["sent_bytes"], told["dropped_bytes"], told["finished"]) == (len("größe\n".encode()), 0, True)


def test_a_log_that_is_refused_is_told_as_dropped(ingest):
    ingest.answer = lambda path, body: 422 if path == "logs" and b"secret" in body else (200, ANSWER)
    assert run(ingest.endpoint, "print('secret')").returncode == 0
    assert last(ingest, "log_delivery")["dropped_bytes"] == len("secret\n")
