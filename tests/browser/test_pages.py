"""Every page in a real browser: it opens, shows the right numbers, follows what comes, and keeps hostile text text."""

import re

import pytest
from axe_core_python.sync_playwright import Axe
from playwright.sync_api import Route, expect

from tests.browser.every_page import HOSTILE, SERIOUS, job
from tests.console.test_validation import outcome, population

pytestmark = pytest.mark.browser
__all__ = ["job"]

LIVE = 15_000
"""Milliseconds that something live may take on a busy machine."""
LOOK_AWAY = """(hidden) => {
  Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
  document.dispatchEvent(new Event('visibilitychange'));
}"""


def test_the_sign_in_page_lets_in_and_says_when_it_does_not(opening, served):
    watched = opening(signed_in=False)
    page = watched.open("/?q=maths")
    expect(page).to_have_url(re.compile(r"/login\?next="))
    assert [one for one in Axe().run(page)["violations"] if one["impact"] in SERIOUS] == []
    page.get_by_label("Name").fill("admin")
    page.get_by_label("Password").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("do not belong together")
    page.get_by_label("Password").fill(served.password)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/\?q=maths$"))
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(re.compile(r"/login$"))
    watched.complaints = [one for one in watched.complaints if "401" not in one]  # the wrong password


def test_the_list_shows_a_new_job_by_itself_and_is_searched_without_a_reload(console, served, job):
    page = console.open("/")
    fresh = served.open_job("brand new")
    expect(page.get_by_role("link", name="brand new")).to_be_visible(timeout=LIVE)
    page.get_by_label("Search").fill("brand")
    expect(page).to_have_url(re.compile(r"q=brand"))
    expect(page.get_by_role("link", name="maths")).to_have_count(0)
    page.reload()
    expect(page.get_by_label("Search")).to_have_value("brand")
    page.get_by_role("link", name="brand new").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{served.address}/runs/{fresh.run_id}")


def test_times_are_in_the_readers_zone_with_utc_beside_them(console, job):
    page = console.open(f"/runs/{job.run_id}")
    time = page.locator(".signals time").first
    utc = time.get_attribute("title")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", utc or "")
    hour = (int((utc or "")[11:13]) + 9) % 24
    expect(time).to_contain_text(f"{hour:02}{(utc or '')[13:19]}")


def chart(page, key: str):
    return page.locator(f"tp-chart[data-key={key!r}]")


def test_charts_show_the_numbers_that_were_sent(console, job):
    page = console.open(f"/runs/{job.run_id}")
    loss = chart(page, "train/loss")
    expect(loss.locator(".last")).to_have_text("0.002")
    expect(loss.locator(".say")).to_have_text("all 500 points")
    expect(loss.locator(".plot")).to_have_attribute(
        "aria-label", re.compile(r"train/loss: 500 steps, steps 0 to 499, last 0.002, least 0.002, .*greatest 1")
    )
    expect(loss.locator("canvas")).to_be_visible()
    expect(page.locator("tp-chart bdi", has_text="<b>bold</b>")).to_be_visible()
    loss.get_by_role("button", name="table").click()
    expect(loss.locator("tbody tr")).to_have_count(200)
    expect(loss.locator("tbody tr").first).to_contain_text("499")
    assert "key=train%2Floss" in (loss.get_by_role("link", name="CSV").get_attribute("href") or "")
    assert "onerror" not in page.title().replace(HOSTILE, "")


def test_a_chart_follows_a_point_that_comes(console, job):
    page = console.open(f"/runs/{job.run_id}")
    rate = chart(page, "lr")
    expect(rate.locator(".last")).to_have_text("0.25")
    expect(page.locator("tp-live")).to_have_attribute("state", "live", timeout=LIVE)
    job.points("lr", [0.125], first=1)
    expect(rate.locator(".last")).to_have_text("0.125", timeout=LIVE)
    job.points("new/series", [7.0])
    expect(chart(page, "new/series").locator(".last")).to_have_text("7", timeout=LIVE)


def test_dragging_over_a_chart_reads_its_detail_and_the_zoom_can_be_reset(console, job):
    job.points("long/curve", [float(n % 17) for n in range(6_000)])
    page = console.open(f"/runs/{job.run_id}")
    page.get_by_label("Search series").fill("long/")
    long = chart(page, "long/curve")
    expect(long.locator(".say")).to_have_text(re.compile(r"[\d,]+ buckets of 6,000 points"))
    box = long.locator(".u-over").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 30, steps=4)
    with page.expect_request(re.compile(r"from=\d+&to=\d+")):
        page.mouse.up()
    expect(long.locator(".say")).to_have_text(re.compile(r"all [56]\d\d points"))
    page.get_by_role("button", name="Reset zoom").click()
    expect(long.locator(".say")).to_have_text(re.compile(r"buckets of 6,000 points"))
    page.get_by_label("Axis").select_option("time")
    expect(long.locator(".say")).to_have_text(re.compile(r"buckets of 6,000 points"))


def test_what_a_logarithmic_axis_cannot_show_is_said(console, job):
    page = console.open(f"/runs/{job.run_id}")
    page.get_by_label("Search series").fill("bold")
    page.get_by_label("log", exact=True).check()
    expect(chart(page, "train/<b>bold</b>").locator(".say")).to_contain_text("1 not positive, not on a log axis")


def test_invalid_values_are_counted_on_their_chart_and_never_drawn_as_zero(console, served):
    job = served.open_job("invalid")
    series = {"key": "loss", "steps": [0, 1], "values": [1.0, 2.0], "ts": [1.0, 2.0]}
    invalid = [{"step": 2, "ts": 3.0, "kind": "nan"}, {"step": 3, "ts": 4.0, "kind": "pos_inf"}]
    only = {"key": "never", "steps": [], "values": [], "ts": [], "invalid": [{"step": 5, "ts": 1.0, "kind": "neg_inf"}]}
    job.post("metrics", stream="s", sequence=1, series=[{**series, "invalid": invalid}, only])
    page = console.open(f"/runs/{job.run_id}")
    expect(chart(page, "loss").locator(".invalid")).to_have_text("1 NaN, 1 +∞ from step 2")
    expect(chart(page, "loss").locator(".last")).to_have_text("2")
    expect(chart(page, "never").locator(".say")).to_have_text("No finite value.")


@pytest.fixture(scope="module")
def talkative(served):
    """A job whose log has four pages; its last line is half a line."""
    job = served.open_job("talkative")
    job.post("logs", chunks=[f"line {n}\n" for n in range(1200)], eof=False)
    job.post("logs", chunks=[f"{HOSTILE}\n", "ValueError: shape mismatch\n", "half a line"], eof=False)
    return job


def test_the_log_follows_a_line_that_comes_and_a_half_line_that_grows(console, talkative):
    page = console.open(f"/runs/{talkative.run_id}/logs")
    expect(page.locator(".line")).to_have_count(300)
    expect(page.locator(".line.partial .text")).to_have_text("half a line")
    expect(page.locator(".line.error .text")).to_have_text("ValueError: shape mismatch")
    expect(page.locator(".line .text", has_text=HOSTILE)).to_have_count(1)
    expect(page.locator("tp-live")).to_have_attribute("state", "live", timeout=LIVE)
    talkative.post("logs", chunks=[" is whole now\n", "and one more\n"], eof=False)
    expect(page.locator(".line").last.locator(".text")).to_have_text("and one more", timeout=LIVE)
    expect(page.locator(".line .text", has_text="half a line is whole now")).to_have_count(1)
    expect(page.locator(".line .text", has_text="half a line")).to_have_count(1)
    expect(page.locator(".line").last).to_be_in_viewport()


def test_scrolling_up_pauses_and_earlier_lines_come_without_gaps(console, talkative):
    page = console.open(f"/runs/{talkative.run_id}/logs")
    page.get_by_role("button", name="Load earlier lines").click()
    expect(page.locator(".line").first).to_have_attribute("data-n", "0")
    numbers = page.eval_on_selector_all(".line", "lines => lines.map((line) => Number(line.dataset.n))")
    assert numbers == list(range(len(numbers)))
    expect(page.get_by_role("button", name="Follow")).to_have_attribute("aria-pressed", "false")
    page.get_by_label("Find").fill("line 7")
    expect(page.locator("output[name=found]")).to_have_text("111 lines of those loaded")
    page.get_by_label("Find").press("Enter")
    expect(page.locator(".line.now .text")).to_have_text("line 7")
    expect(page.locator(".line.now")).to_be_in_viewport()
    page.get_by_role("button", name="Next error").click()
    expect(page.locator(".line.error.marked")).to_be_in_viewport(timeout=LIVE)
    page.get_by_role("button", name="Follow").click()
    expect(page.locator(".line").last).to_be_in_viewport()


def test_a_page_that_nobody_looked_at_goes_on_where_it_was(console, served):
    """It closes its stream when hidden, and resumes at its cursor: no line is missing, none comes twice."""
    job = served.open_job("hidden")
    job.post("logs", chunks=["one\n"], eof=False)
    page = console.open(f"/runs/{job.run_id}/logs")
    expect(page.locator("tp-live")).to_have_attribute("state", "live", timeout=LIVE)
    job.post("logs", chunks=["two\n"], eof=False)
    expect(page.locator(".line")).to_have_count(2, timeout=LIVE)
    page.evaluate(LOOK_AWAY, True)
    job.post("logs", chunks=["three\n", "four\n"], eof=True)
    page.evaluate(LOOK_AWAY, False)
    expect(page.locator("tp-live")).to_have_attribute("state", "ended", timeout=LIVE)
    assert page.locator(".line .text").all_inner_texts() == ["one", "two", "three", "four"]
    expect(page.locator(".log .end")).to_contain_text("nothing follows")


def test_validation_follows_outcomes_and_opens_a_trials_retries(console, job):
    page = console.open(f"/runs/{job.run_id}/validation")
    rounds = page.locator(".round")
    expect(rounds.first).to_contain_text("83.3 %: 5 of 6 scored")
    expect(page.locator("tp-live")).to_have_attribute("state", "live", timeout=LIVE)
    page.get_by_role("link", name="Inspect trial results").click()
    expect(page).to_have_url(re.compile("round_id=heldout"))
    page.get_by_role("link", name="t6", exact=True).click()
    expect(page.locator(".retries")).to_contain_text("execution error")
    again = outcome("heldout", "t6", "success", trial_attempt=1)
    job.post("observations", events=[again], contract=None)
    expect(rounds.first).to_contain_text("85.7 %: 6 of 7 scored", timeout=LIVE)
    page.get_by_role("link", name="execution error").click()
    expect(page.locator("#trials")).to_contain_text("No trial of this round meets this now.")
    page.go_back()
    expect(page.get_by_role("link", name="t6", exact=True)).to_be_visible()


def test_what_comes_while_a_page_is_on_its_way_is_shown_all_the_same(console, served):
    job = served.open_job("on its way")
    job.post("observations", events=[population("r", 2), outcome("r", "t1", "success")], contract=None)
    page = console.open(f"/runs/{job.run_id}/validation?round_id=r")
    expect(page.locator("tp-live")).to_have_attribute("state", "live", timeout=LIVE)
    page.evaluate("document.body.addEventListener('tp-validation', () => { document.body.dataset.told = 1; })")

    def after_the_news(route: Route) -> None:
        before = route.fetch()
        job.post("observations", events=[outcome("r", "t2", "failure")], contract=None)
        page.wait_for_selector("body[data-told]")
        route.fulfill(response=before)

    page.route(re.compile("trial_id=t1"), after_the_news, times=1)
    page.get_by_role("link", name="t1", exact=True).click()
    expect(page.locator(".retries")).to_be_visible(timeout=LIVE)
    expect(page.locator(".round").first).to_contain_text("50.0 %: 1 of 2 scored", timeout=LIVE)


def test_the_status_changes_while_one_looks(console, served):
    job = served.open_job("quick")
    page = console.open(f"/runs/{job.run_id}")
    job.post("lifecycle", event="failed", ts="2026-01-01T00:00:00Z")
    expect(page.locator("#head > header .status")).to_have_text("failed", timeout=LIVE)


def test_a_share_is_made_on_the_page_and_opens_for_strangers(console, opening, job):
    page = console.open(f"/runs/{job.run_id}")
    page.get_by_label("ends after").select_option("a week")
    page.get_by_label("for", exact=True).fill("a reviewer")
    page.get_by_role("button", name="Make a share").click()
    link = page.get_by_label("Link of the share").input_value()
    stranger = opening(signed_in=False)
    public = stranger.open("/s/" + link.rpartition("/s/")[2])
    expect(public.locator("h1")).to_contain_text("maths")
    expect(chart(public, "train/loss").locator(".last")).to_have_text("0.002")
    assert [one for one in Axe().run(public)["violations"] if one["impact"] in SERIOUS] == []
    page.goto(f"{console.served.address}/shares?run_id={job.run_id}")
    page.get_by_role("row", name="a reviewer").get_by_role("button", name="Take back").click()
    expect(page.get_by_role("status")).to_contain_text("taken back")
    expect(page.get_by_role("row", name="a reviewer")).to_have_count(0)
    assert stranger.context.request.get(public.url).status == 404
