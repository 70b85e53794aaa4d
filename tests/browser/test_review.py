"""Two jobs side by side, and the Config tab, in a real browser: by keyboard, and while jobs go on."""

import re

import pytest
from playwright.sync_api import expect

from tests.console.test_validation import outcome, population, protocol

POLLED = 20_000


@pytest.fixture
def two(served):
    """Two running jobs with a curve each, one of them longer, and a round each."""
    jobs = [served.open_job(name) for name in ("the left job", "the right job")]
    for job, values, status in zip(jobs, ([1.0, 2.0, 4.0], [1.0, 3.0]), ("success", "failure"), strict=True):
        job.post("lifecycle", event="running", ts="2026-01-01T00:00:00Z")
        job.points("train/loss", values)
        job.points("alike", [5.0])
        job.post("hparams", params={"lr": values[1]})
        events = [population("r1", 2), outcome("r1", "a", status), outcome("r1", "b", "success"), protocol("r1")]
        job.post("observations", events=events, contract=None)
    return jobs


def address(two) -> str:
    return f"/review?left={two[0].run_id}&right={two[1].run_id}"


def test_both_curves_of_a_metric_open_by_keyboard_follow_and_close(console, two):
    page = console.open(address(two))
    button = page.get_by_role("button", name="Curves of train/loss")
    button.focus()
    page.keyboard.press("Enter")
    told = page.locator("tp-curves output")
    expect(told).to_have_text(
        "left: last 4 at step 2, 1 to 4 (every point); right: last 3 at step 1, 1 to 3 (every point)"
    )
    expect(page.locator("tp-curves canvas")).to_be_visible()
    two[1].points("train/loss", [0.5], first=2)
    expect(told).to_contain_text("right: last 0.5 at step 2", timeout=POLLED)
    page.keyboard.press("Escape")
    expect(page.locator("tp-curves")).to_be_hidden()
    expect(button).to_be_focused()


def test_metrics_are_narrowed_without_a_reload_and_the_address_keeps_it(console, two):
    page = console.open(address(two))
    expect(page.locator("table.reviewed tbody tr")).to_have_count(2)
    page.get_by_label("Show").select_option("differing")
    expect(page.locator("table.reviewed tbody tr")).to_have_count(1)
    expect(page.locator("table.reviewed tbody th")).to_have_text("train/loss")
    expect(page).to_have_url(re.compile("only=differing"))
    page.get_by_label("Search metrics").fill("alike")
    expect(page.locator("#metrics")).to_contain_text("No metric differs.")
    page.reload()
    expect(page.get_by_label("Search metrics")).to_have_value("alike")


def test_rounds_are_chosen_by_keyboard_and_lead_to_the_regression(console, two):
    page = console.open(address(two))
    for side in ("Left", "Right"):
        page.get_by_role("group", name=f"{side} round").get_by_role("radio").focus()
        page.keyboard.press("Space")
    page.get_by_role("button", name="Compare these rounds").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/review/rounds"))
    expect(page.locator(".difference b")).to_have_text("-50.00 percentage points")
    expect(page.locator("table.pairs tbody th")).to_have_text("a")
    page.get_by_role("link", name=re.compile("success on both")).click()
    expect(page.locator("table.pairs tbody th")).to_have_text("b")
    expect(page).to_have_url(re.compile("transition=both_success"))
    page.go_back()
    expect(page.locator("table.pairs tbody th")).to_have_text("a")


def test_the_top_follows_the_jobs(console, two):
    page = console.open(address(two))
    two[0].post("lifecycle", event="failed", ts="2026-01-01T00:00:00Z")
    expect(page.locator(".side.left .status")).to_have_text("failed", timeout=POLLED)
    expect(page.locator(".side.right .status")).to_have_text("running")


def test_the_second_job_is_found_by_typing(console, two):
    page = console.open(f"/review?left={two[0].run_id}")
    page.get_by_label("Job on the right").fill(two[1].run_id)
    choices = page.locator("#jobs-right a")
    expect(choices).to_have_count(1)
    choices.focus()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Review")
    expect(page.locator(".side.right h2")).to_have_text("the right job")


def test_a_configuration_is_searched_and_compared_with_a_job_that_is_found_by_typing(console, two):
    page = console.open(f"/runs/{two[0].run_id}/config")
    page.get_by_label("Search", exact=True).fill("lr")
    expect(page).to_have_url(re.compile("q=lr"))
    page.get_by_text("Compare with another job").click()
    page.get_by_label("Compare with job").fill(two[1].run_id)
    choices = page.locator("#jobs-to-compare a")
    expect(choices).to_have_count(1)
    choices.click()
    expect(page.locator("#diff-hyperparameters tbody td")).to_have_text(["2.0", "3.0"])


def test_hyperparameters_that_come_later_appear_by_themselves(console, served):
    job = served.open_job("late config")
    page = console.open(f"/runs/{job.run_id}/config")
    expect(page.locator("#hyperparameters")).to_contain_text("Unknown: attempt 0 reported none.")
    job.post("hparams", params={"seed": 7})
    expect(page.locator("#hyperparameters tbody th")).to_have_text("seed", timeout=POLLED)
