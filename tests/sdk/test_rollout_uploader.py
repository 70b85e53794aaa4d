"""Sending rollouts in the background: away servers, full queues, the end."""

from __future__ import annotations

import logging
import os
import threading
from typing import Any

import pytest
from tuneplane.reporter import Reporter
from tuneplane.rollouts.uploader import Batch, Uploader

from tests.sdk.ingest_stub import CUT, Ingest, a_hung_server, until


class Told:
    """What the uploader says of losses."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, name, values):
        self.events.append((name, dict(values)))


def batches(step: int):
    """Three samples of a step."""
    yield Batch([{"trial_id": f"{step}-{n}"} for n in range(3)], [{"id": f"e{step}"}])


def an_uploader(endpoint: str, told: Told | None = None, read=batches, room: int = 4) -> Uploader[int]:
    reporter = Reporter(endpoint, "run-1", "tp_ing_x", timeout=30.0, max_attempts=1)
    return Uploader(reporter, read, told or Told(), room)


def trials(ingest: Ingest, *, accepted: bool = True) -> list[str]:
    return [one.document["trace"]["trial_id"] for one in ingest.at("trajectory", accepted=accepted)]


def test_steps_are_sent_in_order_with_what_is_said_of_them(ingest):
    uploader = an_uploader(ingest.endpoint)
    assert [uploader.put(1), uploader.put(2)] == [True, True]
    uploader.close()
    assert trials(ingest) == ["1-0", "1-1", "1-2", "2-0", "2-1", "2-2"]
    assert [event["id"] for event in ingest.events()] == ["e1", "e2"]
    assert (uploader.sent, uploader.refused, uploader.lost, uploader.dropped) == (6, 0, 0, 0)
    assert uploader.put(3) is False


def test_a_server_that_was_away_gets_each_sample_once_it_is_back(ingest):
    answers = iter([503, CUT, 500])
    ingest.answer = lambda path, body: next(answers, 200)
    uploader = an_uploader(ingest.endpoint)
    uploader.put(1)
    until(lambda: uploader.sent == 3)
    uploader.close()
    assert trials(ingest) == ["1-0", "1-1", "1-2"]
    assert (uploader.refused, uploader.lost, uploader.dropped) == (0, 0, 0)


def test_a_refused_sample_is_counted_and_the_others_are_sent(ingest, caplog):
    ingest.answer = lambda path, body: 422 if b"1-1" in body else 200
    uploader = an_uploader(ingest.endpoint)
    uploader.put(1)
    uploader.close()
    assert trials(ingest) == ["1-0", "1-2"]
    assert (uploader.sent, uploader.refused, uploader.lost) == (2, 1, 0)
    assert "1 samples were refused" in caplog.text


def test_a_full_queue_drops_the_newest_steps_counts_them_and_says_so(ingest, caplog):
    held = threading.Event()
    ingest.answer = lambda path, body: held.wait(60) and 200
    told = Told()
    uploader = an_uploader(ingest.endpoint, told, room=2)
    uploader.put(1)
    until(uploader._waiting.empty)  # the first is in hand, and its server does not answer
    assert [uploader.put(step) for step in (2, 3, 4, 5)] == [True, True, False, False]
    assert uploader.dropped == 2
    assert told.events == [
        ("rollout/dropped", {"steps": 1, "reason": "2 steps were waiting already"}),
        ("rollout/dropped", {"steps": 2, "reason": "2 steps were waiting already"}),
    ]
    assert "rollouts of 2 steps are not sent: 2 steps were waiting already" in caplog.text
    held.set()
    uploader.close(60)
    assert {one[0] for one in trials(ingest)} == {"1", "2", "3"}
    assert uploader.sent == 9


def test_a_hung_server_holds_up_neither_a_step_nor_the_end():
    told = Told()
    with a_hung_server() as endpoint:
        uploader = an_uploader(endpoint, told, room=2)
        uploader.put(1)
        until(uploader._waiting.empty)
        assert [uploader.put(step) for step in (2, 3, 4)] == [True, True, False]
        uploader.close(0.1)
        assert uploader.dropped == 4  # one did not fit, two waited, one was in hand
        assert told.events[-1] == ("rollout/dropped", {"steps": 4, "reason": "the end came before they were delivered"})
        thread = uploader._thread
    assert thread is not None
    thread.join(10)
    assert not thread.is_alive()
    assert (uploader.sent, uploader.lost) == (0, 3)


def test_a_step_that_cannot_be_read_is_counted_and_the_next_is_sent(ingest):
    told = Told()

    def read(step: int):
        if step == 1:
            raise OSError(5, "Input/output error")
        yield from batches(step)

    uploader = an_uploader(ingest.endpoint, told, read)
    uploader.put(1)
    uploader.put(2)
    uploader.close()
    assert trials(ingest) == ["2-0", "2-1", "2-2"]
    assert told.events == [("rollout/dropped", {"steps": 1, "reason": "OSError: [Errno 5] Input/output error"})]


def test_an_uploader_without_a_step_has_no_thread_and_nothing_to_say(ingest, caplog):
    caplog.set_level(logging.DEBUG, "tuneplane")
    before = threading.active_count()
    an_uploader(ingest.endpoint).close()
    assert threading.active_count() == before
    assert caplog.text == ""


def test_the_copy_in_a_forked_child_takes_nothing(ingest, monkeypatch):
    uploader = an_uploader(ingest.endpoint)
    here = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: here + 1)
    assert uploader.put(1) is False
    uploader.close()
    assert uploader.dropped == 0
    monkeypatch.undo()
    assert trials(ingest) == []


@pytest.fixture(autouse=True)
def _warnings_are_heard(caplog):
    caplog.set_level(logging.WARNING, "tuneplane")
