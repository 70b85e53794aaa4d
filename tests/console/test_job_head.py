"""The top of a job's pages: coverage and delivery in a word, first signals, attempts, and warnings of tokens."""

import re

import pytest

from application.queries.asked_attempt import attempt_of
from domain.ids import DAY_MICROS, Attempt, Micros
from entrypoints.http.console.pages.job_head import _token_warnings
from tests.console.conftest import point
from tests.console.test_job_page import heartbeat, text_of
from tests.console.test_validation import population, send
from tests.http.conftest import Job

CONTRACT = {
    "version": 1,
    "capabilities": ["agent"],
    "requirements": [
        {"id": "core/loss", "candidates": ["loss"]},
        {"id": "core/kl", "candidates": ["kl"]},
        {"id": "agent/terminal", "candidates": ["agent/terminal"], "capability": "agent"},
        {"id": "moe/balance", "candidates": ["moe/*"], "capability": "moe"},
    ],
}
TOLD = {
    "sent_points": 2,
    "duplicate_points": 0,
    "set_aside_points": 0,
    "sent_events": 0,
    "duplicate_events": 0,
    "set_aside_events": 0,
    "finished": True,
}
TS = "2026-01-01T00:00:00Z"


def head_of(site, job, query: str = "") -> str:
    return text_of(site.page(f"/runs/{job.run_id}/head{query}")).replace(" :", ":")


def told(job: Job, **values) -> None:
    job.post("observations", events=[heartbeat(**{**TOLD, **values})], contract=None)


def test_coverage_is_one_word_with_its_numbers(site, job):
    assert "Observation coverage: unknown, no contract declared" in head_of(site, job)
    job.post("observations", events=[], contract=CONTRACT)
    assert "Observation coverage: none, 0 of 3 reported" in head_of(site, job)
    job.post("metrics", points=[point("loss"), point("moe/x")])
    assert "Observation coverage: partial, 1 of 3 reported" in head_of(site, job)
    job.post("metrics", points=[point("kl")])
    job.post("observations", events=[{"id": "t", "kind": "event", "name": "agent/terminal", "ts": TS}], contract=None)
    assert "Observation coverage: complete, 3 of 3 reported" in head_of(site, job)
    job.post("observations", events=[], contract={**CONTRACT, "requirements": CONTRACT["requirements"][3:]})
    assert "Observation coverage: nothing asked" in head_of(site, job)


def test_coverage_is_of_the_chosen_attempt(site, job):
    job.post("observations", events=[], contract=CONTRACT)
    job.post("metrics", points=[point("loss")])
    newer = site.open_attempt(job.run_id)
    newer.post("observations", events=[], contract=CONTRACT)
    assert "partial, 1 of 3" in head_of(site, job)
    assert "none, 0 of 3" in head_of(site, job, "?attempt=1")


def test_a_delivery_that_adds_up_is_reconciled(site, job):
    job.post("metrics", points=[point(step=0), point(step=1)])
    told(job)
    text = head_of(site, job)
    assert "Delivery: reconciled" in text
    assert "points 2 0 0 2 0 reconciled" in text


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ({"dropped_points": 3}, "lossy: 3 points dropped"),
        ({"sent_points": 4}, "missing: points that were answered are not stored"),
        ({"finished": False}, "unknown: the attempt goes on"),
        ({"sent_points": 1}, "unknown: more is stored than the reporters count"),
        ({"sent_points": "2"}, "unknown: a reporter does not count what it sends"),
    ],
)
def test_a_delivery_that_does_not_add_up_says_why(site, job, values, verdict):
    job.post("metrics", points=[point(step=0), point(step=1)])
    told(job, **values)
    assert f"Delivery: {verdict}" in head_of(site, job)


def test_without_last_words_at_the_end_the_delivery_is_unknown(site, job):
    job.post("metrics", points=[point(step=0), point(step=1)])
    told(job, finished=False)
    job.post("lifecycle", event="failed", ts=TS)
    assert "unknown: a reporter has not said that it finished" in head_of(site, job)


def test_counts_that_nobody_told_read_unknown_and_what_is_stored_is_counted(site, job):
    job.post("metrics", points=[point()])
    job.post("logs", chunks=["größe\n"], eof=False)
    text = head_of(site, job)
    assert "Delivery: unknown: no reporter told what it sent" in text
    assert "points unknown unknown unknown 1 unknown unknown" in text
    assert "log bytes unknown unknown unknown 8 unknown unknown" in text


def test_a_job_that_sent_nothing_has_nothing_to_reconcile(site, job):
    assert "Delivery: unknown: nothing arrived" in head_of(site, job)


def test_signals_and_receipt_are_of_the_chosen_attempt(site, job):
    job.post("metrics", points=[point()])
    job.post("lifecycle", event="failed", ts=TS)
    site.open_attempt(job.run_id)
    first, latest = head_of(site, job, "?attempt=0"), head_of(site, job)
    assert "First log line never" in first
    assert "First point not yet tuneplane doctor" in latest
    assert "Delivery of attempt 0" in first
    assert "Delivery of attempt 1" in latest
    assert "2 attempts: 0 failed, 1 created" in latest


def test_where_other_reports_came_what_is_missing_is_no_fault_of_the_way(site, job):
    """An imported evaluation has neither log nor points, and nothing is wrong with it."""
    before = head_of(site, job)
    assert "tuneplane doctor says whether the node reaches" in before
    assert "tuneplane doctor on the node. Does the script call log" in before
    assert "which only this machine reaches" in before
    send(job, population("r1", 5))
    after = head_of(site, job)
    assert "tuneplane doctor" not in after
    assert "which only this machine reaches" not in after
    assert "First log line not yet Other reports came. An import sends no log" in after
    assert "First point not yet Other reports came. An evaluation may have no point" in after


def test_a_new_attempt_that_was_not_heard_of_is_not_taken_for_one_that_was(site, job):
    job.post("metrics", points=[point()])
    site.open_attempt(job.run_id)
    latest = head_of(site, job)
    assert "which only this machine reaches" in latest
    assert "Other reports came" not in latest


def test_the_head_can_be_had_as_it_was(site, job):
    job.post("observations", events=[], contract=CONTRACT)
    before = job.post("metrics", points=[point("loss")]).json()["position"]
    job.post("metrics", points=[point("kl")])
    told(job, sent_points=2)
    assert "partial, 2 of 3" in head_of(site, job)
    past = head_of(site, job, f"?as_of={before}")
    assert "partial, 1 of 3" in past
    assert "Delivery: unknown: no reporter told" in past


def test_attempts_lead_to_their_own_pages(site, job):
    site.open_attempt(job.run_id)
    html = site.page(f"/runs/{job.run_id}/logs")
    assert f'href="/runs/{job.run_id}/logs?attempt=0"' in html


def test_only_the_latest_attempts_are_listed(site, job):
    for _ in range(24):
        site.open_attempt(job.run_id)
    html = site.page(f"/runs/{job.run_id}/head")
    assert "The latest 20 of 25." in html
    assert len(re.findall(r'<th scope="row"><a href="/runs/[^"]*attempt=', html)) == 20


def test_a_job_that_has_run_long_is_warned_of_its_token_earlier(a_long_token):
    latest, opened = a_long_token
    warnings = list(_token_warnings(latest, Micros(opened + 25 * DAY_MICROS)))
    assert warnings[0].startswith("The ingest token of this attempt expires within 5 days, and the job has run for 25")
    assert list(_token_warnings(latest, Micros(opened + 23 * DAY_MICROS))) == []


def test_programs_read_the_receipt_of_each_attempt(site, job):
    job.post("metrics", points=[point(step=0), point(step=1)])
    told(job)
    site.open_attempt(job.run_id)
    first, second = site.get(f"/api/runs/{job.run_id}/delivery").json()["items"]
    assert (first["attempt"], first["verdict"], second["verdict"]) == (0, "reconciled", "unknown")
    assert first["lines"][0] == {
        "what": "points",
        "verdict": "reconciled",
        "gap": None,
        "sent": 2,
        "duplicates": 0,
        "set_aside": 0,
        "dropped": 0,
        "stored": 2,
    }
    assert len(site.get(f"/api/runs/{job.run_id}/delivery?attempt=1").json()["items"]) == 1
    assert site.get(f"/api/runs/{job.run_id}/delivery?attempt=2").status_code == 404


@pytest.fixture
def a_long_token(site, job):
    """An attempt whose token lives for 30 days, and when it was opened."""
    with site.container.reading().now() as views:
        latest = attempt_of(views, job.run_id, Attempt(0))
    assert latest is not None
    return latest, latest.opened_at


def test_an_attempt_that_was_followed_without_an_end_is_not_shown_as_running(site, job):
    job.post("lifecycle", event="running", ts=TS)
    assert "1 attempt" in head_of(site, job)
    assert "no end told" not in head_of(site, job)
    later = site.open_attempt(job.run_id)
    later.post("lifecycle", event="running", ts=TS)
    assert "2 attempts: 0 no end told, 1 running" in head_of(site, job)
    html = site.page(f"/runs/{job.run_id}")
    assert html.count('<span class="status running">') == 2
    assert re.search(r'<option value="0">0 · no end told</option>', html)


def test_one_that_was_dropped_is_counted_as_one(site, job):
    told(job, dropped_points=1)
    assert "Transport health: lossy, dropped 1 point and 0 events" in head_of(site, job)
