"""`tuneplane.report` while the server is slow, hung, dead or unwilling."""

import os
import subprocess
import sys
import threading
import time

import pytest
from tuneplane import report
from tuneplane.outbox import Outbox
from tuneplane.session import FINISH_SECONDS

from tests.sdk.conftest import TOKEN, job_env
from tests.sdk.ingest_stub import CUT, a_dead_server, a_hung_server, until


def the_session():
    session = report._here.session
    assert session is not None
    return session


def test_a_lost_answer_is_repeated_with_the_same_bytes_and_nothing_overtakes_it(ingest, reporting):
    lost = iter([CUT, 503, 429])
    ingest.answer = lambda path, body: next(lost, 200) if path == "metrics" else 200
    reporting.log({"loss": 1.0}, step=1)
    until(lambda: ingest.at("metrics"))
    reporting.log({"loss": 2.0}, step=2)
    reporting.finish()
    tries = ingest.at("metrics", accepted=False)
    assert [one.status for one in tries] == [CUT, 503, 429, 200, 200]
    assert len({one.body for one in tries[:4]}) == 1
    assert [one.document["sequence"] for one in tries] == [1, 1, 1, 1, 2]
    assert ingest.points() == [("loss", 1, 1.0), ("loss", 2, 2.0)]
    transport = [event for event in ingest.events() if event["name"] == "transport"][-1]["values"]
    assert transport["send_failures"] == 2  # a kept connection that is cut is opened again at once
    assert transport["dropped_points"] == transport["queued_points"] == 0
    assert transport["capacity_points"] == 100_000
    assert transport["last_success_unix"] > 0


def test_a_refusal_is_final_counted_and_told_once(ingest, reporting, caplog):
    detail = {"detail": f"series 4097 is over the limit; token {TOKEN}"}
    ingest.answer = lambda path, body: (422, detail) if path == "metrics" else 200
    reporting.log({"a": 1.0, "b": 2.0}, step=1)
    until(lambda: ingest.at("metrics", accepted=False))
    reporting.log({"a": 1.0}, step=2)
    reporting.finish()
    assert len(ingest.at("metrics", accepted=False)) == 2
    transport = [event for event in ingest.events() if event["name"] == "transport"][-1]["values"]
    assert transport["dropped_points"] == 3
    told = [one for one in caplog.messages if "series 4097" in one]
    assert len(told) == 1
    assert TOKEN not in told[0]


def test_why_nothing_gets_through_is_told_once_while_it_is_tried_on(ingest, reporting, caplog):
    ingest.answer = lambda path, body: 503
    reporting.log({"a": 1.0}, step=0)
    until(lambda: "trying on: HTTP 503" in caplog.text, 30)
    the_session().finish(1.0)
    assert caplog.text.count("trying on") == 1


def test_an_event_that_is_refused_takes_no_other_with_it(ingest, reporting):
    queued = threading.Event()

    def answer(path, body):
        queued.wait(5)  # so that all of them go together
        return (422, {"detail": "no"}) if path == "observations" and b"wrong" in body else 200

    ingest.answer = answer
    reporting.observe("first")
    until(lambda: the_session().outbox.queued_events == 1)
    for name in ("a", "wrong", "b", "c"):
        reporting.observe(name)
    reporting.configure_observability(capabilities=["agent"])
    queued.set()
    reporting.finish()
    assert sorted(event["name"] for event in ingest.events() if event["kind"] == "event") == ["a", "b", "c", "first"]
    assert [one.document["contract"] for one in ingest.at("observations") if one.document["contract"]]
    transport = [event for event in ingest.events() if event["name"] == "transport"][-1]["values"]
    assert transport["dropped_events"] == 1
    assert the_session().outbox.queued_events == 0


def test_a_full_queue_refuses_the_newest_and_counts():
    outbox = Outbox(lambda: None, capacity_points=3, capacity_events=2)
    assert [outbox.put_points("", step, 0.0, {"a": 1.0}) for step in range(5)] == [True] * 3 + [False] * 2
    assert [outbox.put_event({"id": index}) for index in range(3)] == [True, True, False]
    assert (outbox.queued_points, outbox.refused_points, outbox.refused_events) == (3, 2, 1)
    assert [call[1] for call in outbox.take_calls()] == [0, 1, 2]
    assert outbox.put_points("", 9, 0.0, {"a": 1.0}) is False  # taken is not delivered
    outbox.settle_points(3)
    assert outbox.put_points("", 9, 0.0, {"a": 1.0}) is True


def test_queues_hold_what_the_specification_says_while_the_server_is_away(reporting_to):
    with a_dead_server() as endpoint:
        reporting = reporting_to(endpoint)
        assert sum(reporting.observe("x") for _ in range(200)) == 128
        for step in range(10_500):
            reporting.log({f"k{index}": 1.0 for index in range(10)}, step=step)
        session = the_session()
        assert session.outbox.queued_points == 100_000
        assert session.health.dropped_points == 5_000
        assert session.health.dropped_events == 72
        session.finish(0.1)


@pytest.mark.parametrize("away", [a_hung_server, a_dead_server])
def test_nothing_blocks_or_raises_while_the_server_is_away(reporting_to, away, caplog):
    with away() as endpoint:
        reporting = reporting_to(endpoint)
        longest = 0.0
        started = time.monotonic()
        assert reporting.init(hparams={"a": 1}) is True
        for step in range(2000):
            before = time.perf_counter()
            reporting.log({"loss": 1.0}, step=step)
            longest = max(longest, time.perf_counter() - before)
        reporting.observe("x")
        assert longest < 0.25
        assert time.monotonic() - started < 3
        before = time.monotonic()
        the_session().finish(0.5)
        assert time.monotonic() - before < 3
        assert "2000 points and 1 events were not delivered in 0 s: no answer" in caplog.text
    assert FINISH_SECONDS == 10


def test_what_waited_is_delivered_when_the_server_comes_back(ingest, reporting):
    ingest.answer = lambda path, body: CUT
    for step in range(5000):
        reporting.log({"loss": float(step)}, step=step)
    until(lambda: the_session().health.send_failures)
    ingest.answer = lambda path, body: 200
    reporting.finish()
    assert [step for _, step, _ in ingest.points()] == list(range(5000))
    transport = [event for event in ingest.events() if event["name"] == "transport"][-1]["values"]
    assert transport["dropped_points"] == 0


def test_a_sender_that_died_is_replaced(ingest, reporting):
    reporting.log({"loss": 1.0}, step=1)
    until(lambda: ingest.at("metrics"))
    session = the_session()
    session.sender.stop(5)
    assert not session.sender.alive()
    session._look_at = 0.0
    reporting.log({"loss": 2.0}, step=2)
    until(lambda: len(ingest.points()) == 2)


FORKS = """
import os
from tuneplane import report
report.init(monitor_hardware=False)
report.log({"parent": 1.0}, step=1)
child = os.fork()
if child == 0:
    report.log({"child": 1.0}, step=1)
    report.finish()
    os._exit(0)
os.waitpid(child, 0)
report.log({"parent": 2.0}, step=2)
report.finish()
"""


def test_a_forked_process_reports_as_a_writer_of_its_own(ingest):
    env = {**os.environ, **job_env(ingest.endpoint), "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKS], env=env, check=True, timeout=30)
    streams: dict[str, set[str]] = {}
    for one in ingest.at("metrics"):
        for series in one.document["series"]:
            streams.setdefault(series["key"], set()).add(one.document["stream"])
    assert len(streams["parent"]) == len(streams["child"]) == 1
    assert streams["parent"] != streams["child"]
    assert sorted(ingest.points()) == [("child", 1, 1.0), ("parent", 1, 1.0), ("parent", 2, 2.0)]


WORKER = """
import multiprocessing
from tuneplane import report
report.log({"parent": 1.0}, step=1)
worker = multiprocessing.get_context("fork").Process(target=report.log, args=({"worker": 1.0}, 1))
worker.start()
worker.join()
"""


def test_what_a_multiprocessing_worker_logged_is_delivered_when_it_ends(ingest):
    env = {**os.environ, **job_env(ingest.endpoint), "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-W", "ignore", "-c", WORKER], env=env, check=True, timeout=30)
    assert sorted(ingest.points()) == [("parent", 1, 1.0), ("worker", 1, 1.0)]


def test_what_was_logged_is_delivered_at_exit_without_finish(ingest):
    code = "from tuneplane import report\nreport.log({'loss': 1.0}, step=1)\n"
    env = {**os.environ, **job_env(ingest.endpoint), "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], env=env, check=True, timeout=30)
    assert ingest.points() == [("loss", 1, 1.0)]
