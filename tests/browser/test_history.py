"""History in a real browser: the handle over the past, by keyboard, and events opened whole."""

import pytest
from playwright.sync_api import expect

from tests.console.test_validation import outcome, population

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def job(served):
    job = served.open_job("a job with a past")
    job.post("lifecycle", event="running", ts="2026-01-01T00:00:00Z")
    job.points("loss", [0.5])
    job.post("observations", events=[population("r1", 2), outcome("r1", "t1", "failure")], contract=None)
    job.points("loss", [0.25, 0.125], first=1)
    return job


def test_the_handle_moves_by_keyboard_and_the_job_is_shown_as_it_was(console, job):
    page = console.open(f"/runs/{job.run_id}/history")
    handle = page.get_by_label("Position, from")
    handle.focus()
    handle.press("ArrowLeft")
    past = page.locator("#past")
    then = past.get_by_role("row", name="then")
    expect(then).to_contain_text("1")
    points = past.locator("thead th").all_inner_texts().index("points")
    expect(past.locator("tbody tr").nth(0).locator("th, td").nth(points)).to_have_text("1")
    expect(past.locator("tbody tr").nth(1).locator("th, td").nth(points)).to_have_text("3")
    expect(past).to_contain_text("1 failure")


def test_the_events_before_and_behind_are_one_press_away(console, job):
    page = console.open(f"/runs/{job.run_id}/history")
    handle = page.get_by_label("Position, from")
    handle.press("ArrowLeft")
    before = page.locator("#past button", has_text="←")
    shown = int(handle.input_value())
    before.press("Enter")
    expect(handle).not_to_have_value(str(shown))
    expect(page.locator("#past button", has_text="→")).to_be_visible()


def test_a_moment_opens_the_charts_as_they_were(console, job):
    page = console.open(f"/runs/{job.run_id}/history")
    page.get_by_label("Position, from").press("ArrowLeft")
    page.locator("#past").get_by_role("link", name="charts then").click()
    expect(page.get_by_role("note").first).to_contain_text("As it was at position")
    expect(page.locator("tp-chart .say")).to_contain_text("all 1 points")
    page.get_by_role("link", name="Back to now").click()
    expect(page.locator("tp-chart .say")).to_contain_text("all 3 points")


def test_an_event_opens_whole_by_keyboard(console, job):
    page = console.open(f"/runs/{job.run_id}/history?type=population-declared")
    page.get_by_title("The event whole").press("Enter")
    expect(page.get_by_role("region", name="Event").locator("pre")).to_contain_text('"expected": 2')
