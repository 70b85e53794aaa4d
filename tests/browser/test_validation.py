"""The validation tab in a browser: an opened trial stays open, results move, digests are copied, samples have keys."""

import re

import pytest
from playwright.sync_api import expect

from tests.console.test_validation import outcome, population, protocol

pytestmark = pytest.mark.browser

LIVE = 15_000
"""Milliseconds that something live may take on a busy machine."""


def send(job, *events) -> None:
    job.post("observations", events=list(events), contract=None)


@pytest.fixture
def job(served):
    job = served.open_job("evaluated")
    send(job, population("r1", 6), protocol("r1"), *(outcome("r1", f"task {n}", "success") for n in range(3)))
    send(job, outcome("r1", "task 3", "infra_error"))
    return job


def link(page, name: str):
    return page.locator("#trials").get_by_role("link", name=name, exact=True)


def test_an_opened_trial_stays_open_while_results_move_between_filters(console, job):
    page = console.open(f"/runs/{job.run_id}/validation?round_id=r1")
    expect(page.locator("tp-live")).to_have_attribute("state", "live", timeout=LIVE)
    link(page, "task 3").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".retries tbody tr")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"trial_id=task%203"))
    expect(link(page, "task 3")).to_be_focused()
    expect(link(page, "task 3")).to_have_attribute("aria-expanded", "true")
    send(job, outcome("r1", "task 3", "failure", trial_attempt=1))
    expect(page.locator(".retries tbody tr")).to_have_count(2, timeout=LIVE)
    expect(page.locator(".retries tbody tr").first).to_contain_text("failure")
    expect(page.get_by_role("link", name="retried 1")).to_be_visible()
    expect(page.locator("#trials").get_by_role("link", name="execution error 0")).to_be_visible()
    expect(page.locator(".round .rates")).to_contain_text("75.0 %: 3 of 4 scored")
    page.reload()
    expect(page.locator(".retries tbody tr")).to_have_count(2)
    link(page, "task 3").click()
    expect(page.locator(".retries")).to_have_count(0)
    page.go_back()
    expect(page.locator(".retries tbody tr")).to_have_count(2)


def test_trials_are_searched_while_one_types_and_what_comes_does_not_disturb(console, job):
    page = console.open(f"/runs/{job.run_id}/validation?round_id=r1")
    expect(page.locator("tp-live")).to_have_attribute("state", "live", timeout=LIVE)
    search = page.get_by_label("Trial", exact=True)
    search.focus()
    page.keyboard.type("TASK ")
    expect(page.locator("#trials .fact")).to_have_text("4 trials with this in the id")
    send(job, outcome("r1", "task 4", "unscored"))
    expect(page.locator("#trials .fact")).to_have_text("5 trials with this in the id", timeout=LIVE)
    expect(search).to_be_focused()
    page.keyboard.type("2")
    expect(page.locator(".trials tbody tr")).to_have_count(1)
    expect(search).to_have_value("TASK 2")
    expect(page).to_have_url(re.compile(r"q=TASK\+2|q=TASK%202"))
    page.get_by_role("link", name="unscored 1").click()
    expect(page.locator("#trials .empty")).to_have_text("No trial of this round meets this now.")


def test_a_digest_is_copied_whole(opening, job):
    watched = opening(permissions=["clipboard-read", "clipboard-write"])
    page = watched.open(f"/runs/{job.run_id}/validation?round_id=r1")
    digest = page.locator("tp-digest").first
    digest.get_by_role("button", name="copy").click()
    expect(digest.get_by_role("button")).to_have_text("copied")
    assert page.evaluate("navigator.clipboard.readText()") == "0123456789abcdef" * 4


def test_a_digest_that_cannot_be_copied_is_selected(opening, job):
    watched = opening()
    page = watched.open(f"/runs/{job.run_id}/validation?round_id=r1")
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.evaluate("document.execCommand = () => false")
    page.locator("tp-digest").first.get_by_role("button", name="copy").click()
    expect(page.locator("tp-digest").first.get_by_role("button")).to_have_text("selected")
    assert page.evaluate("getSelection().toString()") == "0123456789abcdef" * 4


def test_a_phone_shows_each_trial_as_a_card_with_its_outcome(opening, job):
    page = opening(viewport={"width": 390, "height": 844}).open(f"/runs/{job.run_id}/validation?round_id=r1")
    for verdict in page.locator(".trials .verdict").all():
        box = verdict.bounding_box()
        assert box is not None
        assert 0 <= box["x"] < box["x"] + box["width"] <= 390
    assert page.evaluate("document.querySelector('[aria-label=Trials]').scrollWidth <= innerWidth")


@pytest.fixture
def sampled(served):
    job = served.open_job("sampled")
    rows = [{"idx": n, "user": f"question {n}", "assistant": "word " * 2000 if n == 1 else "no"} for n in range(12)]
    job.post("validation", step=3, samples=rows, total_chunks=2, total_samples=20)
    return job


def test_samples_are_read_by_keyboard_over_the_ends_of_a_page(console, sampled):
    page = console.open(f"/runs/{sampled.run_id}/validation/samples?round_id=3")
    page.keyboard.press("j")
    expect(page.locator("#sample-0")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#sample-1")).to_be_focused()
    expect(page).to_have_url(re.compile(r"idx=1#sample-1$"))
    page.keyboard.press("k")
    expect(page.locator("#sample-0")).to_be_focused()
    page.keyboard.press("k")
    expect(page.locator("#sample-0")).to_be_focused()
    for _ in range(10):
        page.keyboard.press("j")
    expect(page.locator("article.sample")).to_have_count(2)
    page.keyboard.press("j")
    expect(page.locator("#sample-10")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#sample-9")).to_be_focused()
    page.keyboard.press("Control+j")
    expect(page.locator("#sample-9")).to_be_focused()


def test_a_long_text_is_opened_and_a_link_leads_to_one_sample(console, sampled):
    page = console.open(f"/runs/{sampled.run_id}/validation/samples?round_id=3&idx=1#sample-1")
    expect(page.locator("article.sample").first).to_have_id("sample-1")
    text = page.locator("#sample-1 pre.long")
    before = text.bounding_box()
    page.get_by_text("All 10,000 characters").click()
    after = text.bounding_box()
    assert before is not None
    assert after is not None
    assert after["height"] > before["height"]


def test_samples_follow_a_chunk_that_comes(console, sampled):
    page = console.open(f"/runs/{sampled.run_id}/validation/samples?round_id=3&idx=11")
    expect(page.locator("tp-live")).to_have_attribute("state", "live", timeout=LIVE)
    expect(page.locator(".numbers")).to_contain_text("1 of 2 chunks arrived")
    page.keyboard.press("j")
    late = [{"idx": 12, "user": "question 12", "assistant": "yes"}]
    sampled.post("validation", step=3, samples=late, chunk_index=1, total_chunks=2, total_samples=20)
    expect(page.locator(".numbers")).to_contain_text("2 of 2 chunks arrived", timeout=LIVE)
    expect(page.locator("article.sample")).to_have_count(2)
    expect(page.locator("#sample-11")).to_be_focused()
