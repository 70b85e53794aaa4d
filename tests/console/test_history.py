"""The History tab: events in order, each whole, and the job as it was."""

import re

import pytest

from application.queries.history import TYPES
from tests.console.conftest import point
from tests.console.test_job_page import text_of
from tests.console.test_validation import outcome, population
from tests.http.people import personal_token

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def story(job):
    """Positions by what happened there; 1 is the run, 2 the attempt."""
    said = {"running": job.post("lifecycle", event="running", ts="2026-01-01T00:00:00Z")}
    said["first"] = job.post("metrics", points=[point(step=1)])
    said["planned"] = send(job, population("r1", 3))
    said["wrong"] = send(job, outcome("r1", "t1", "failure"))
    said["second"] = job.post("metrics", points=[point(step=2), point(step=3)])
    said["right"] = send(job, outcome("r1", "t1", "success", trial_attempt=1))
    return {name: answer.json()["position"] for name, answer in said.items()}


def send(job, *events):
    """One call; its answer says where the events are."""
    return job.post("observations", events=list(events), contract=None)


def listed(html: str) -> list[int]:
    return [int(found) for found in re.findall(r'<tr id="event-(\d+)"', html)]


def test_events_come_in_order_of_the_log_or_from_the_latest_back(site, job, story):
    html = site.page(f"/runs/{job.run_id}/history")
    assert listed(html) == list(range(1, story["right"] + 1))
    assert listed(site.page(f"/runs/{job.run_id}/history?order=latest")) == list(range(story["right"], 0, -1))


def test_one_type_is_shown_alone_and_every_type_can_be_chosen(site, job, story):
    html = site.page(f"/runs/{job.run_id}/history?type=outcome-reported")
    assert listed(html) == [story["wrong"], story["right"]]
    assert set(re.findall(r"<option(?: selected)?>([a-z-]+)</option>", html)) >= set(TYPES)
    latest = site.page(f"/runs/{job.run_id}/history?type=outcome-reported&order=latest")
    assert listed(latest) == [story["right"], story["wrong"]]
    assert site.get(f"/runs/{job.run_id}/history?type=nonsense").status_code == 422


@pytest.mark.parametrize("order", ["", "latest"])
def test_pages_of_events_leave_nothing_out_and_repeat_nothing(site, job, order):
    for step in range(250):
        job.post("metrics", points=[point(step=step)])
    address, found = f"/runs/{job.run_id}/history?order={order}", []
    while address:
        html = site.page(address)
        found += listed(html)
        following = re.search(r'aria-label="Pages of events"><a href="([^"#]*)', html)
        address = following[1].replace("&amp;", "&") if following else ""
    assert len(found) >= 252
    assert found == sorted(set(found), reverse=order == "latest")


def test_the_past_of_a_page_lists_only_what_had_happened(site, job, story):
    html = site.page(f"/runs/{job.run_id}/history?as_of={story['planned']}")
    assert listed(html)[-1] == story["planned"]
    assert f'max="{story["right"]}"' in html
    assert f'value="{story["planned"]}"' in html
    assert "As it was at position" in text_of(html)


def test_the_job_as_it_was_stands_beside_what_it_is(site, job, story):
    html = site.page(f"/runs/{job.run_id}/history/past?at={story['wrong']}")
    then = text_of(html)
    assert "running" in then
    assert "0 success 1 failure 0 execution error 0 unscored 2 not reported" in then
    names = re.findall(r'<th scope="col">([a-z ]+)</th>', html)
    held = [re.findall(r"<td>([^<]*)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", html) if "<td>" in row]
    points = names.index("points")
    assert (held[0][points], held[1][points]) == ("1", "3")
    assert f'data-at="{story["planned"]}"' in html
    assert f'data-at="{story["wrong"] + 1}"' in html
    assert f"/runs/{job.run_id}/validation?as_of={story['wrong']}" in html


def test_before_its_first_event_the_job_did_not_exist(site, job, story):
    assert "did not exist yet" in text_of(site.page(f"/runs/{job.run_id}/history/past?at=0"))
    assert site.get(f"/runs/{job.run_id}/history?as_of=0").status_code == 404


def test_an_event_is_shown_whole_with_its_place_in_the_chain(site, job, story):
    html = site.page(f"/runs/{job.run_id}/history/{story['second']}")
    assert "&#34;steps&#34;" in html
    assert re.search(r"chain hash</dt><dd class=\"id\">[0-9a-f]{64}<", html)
    assert site.get(f"/runs/{job.run_id}/history/99999").status_code == 404


def test_a_long_event_is_cut_and_says_where_all_of_it_is(site, job):
    position = job.post("logs", chunks=["x" * 30_000], eof=False).json()["position"]
    html = site.page(f"/runs/{job.run_id}/history/{position}")
    assert "more characters" in html
    assert f"/api/runs/{job.run_id}/events/{position}" in html
    assert html.count("x" * 1_000) <= 20


def test_validation_text_needs_the_content_permission(site, job):
    sample = {"idx": 0, "user": "SECRET-QUESTION", "assistant": HOSTILE}
    position = job.post("validation", step=1, samples=[sample]).json()["position"]
    assert site.container.accounts().find("ada").may("content") is False
    html = site.page(f"/runs/{job.run_id}/history/{position}")
    assert "SECRET-QUESTION" not in html
    assert "content permission" in html
    site.container.manage_accounts().grant("ada", permissions={"content"})
    html = site.page(f"/runs/{job.run_id}/history/{position}")
    assert "SECRET-QUESTION" in html
    assert HOSTILE not in html


def test_history_is_for_people_who_are_signed_in(closed):
    token = personal_token(closed, "program", role="admin")
    assert closed.get("/runs/x/history").status_code == 303
    assert closed.get("/runs/x/history", Authorization=f"Bearer {token}").status_code == 401


@pytest.mark.parametrize("tab", ["", "/logs", "/validation", "/history"])
def test_every_tab_shows_the_job_as_it_was_and_keeps_the_moment_in_its_links(site, job, story, tab):
    html = site.page(f"/runs/{job.run_id}{tab}?as_of={story['first']}")
    assert "As it was at position" in text_of(html)
    assert "1 point," in text_of(html)
    assert "/live?" not in html
    tabs = re.search(r'<nav class="tabs".*?</ul>', html, re.DOTALL)[0]
    links = re.findall(r'href="([^"]*)"', tabs)
    assert len(links) == 9
    assert all(link.endswith(f"as_of={story['first']}") for link in links)


@pytest.mark.parametrize("wrong", ["-1", "x", "1.5", "9" * 30, "٣"])
def test_a_moment_that_is_no_position_is_refused(site, job, wrong):
    assert site.get(f"/runs/{job.run_id}/history?as_of={wrong}").status_code == 422
