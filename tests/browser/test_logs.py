"""The log in a real browser: any line, any time, every hit and error of all of it; long and hostile lines."""

import re

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

LIVE = 15_000
LONGEST_TASK = """() => new Promise((done) => {
  let worst = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((one) => (worst = Math.max(worst, one.duration))))
    .observe({ type: 'longtask', buffered: true });
  setTimeout(() => done(worst), 100);
})"""
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
TURNED = "safe \u202eexe.doc\u202c \u2066x\u2069 z\u200bw a\u0301\u0301\u0301"
SHOWN = "safe \ufffdexe.doc\ufffd \ufffdx\ufffd z\u200bw a\u0301\u0301\u0301"


@pytest.fixture(scope="module")
def job(served):
    """4,000 lines, three of which look like errors."""
    job = served.open_job("a long log")
    lines = [f"step={n} loss=0.5\n" for n in range(1, 4001)]
    for n in (100, 2000, 3990):
        lines[n - 1] = f"ValueError: line {n}\n"
    for start in range(0, 4000, 500):
        job.post("logs", chunks=lines[start : start + 500], eof=False)
    return job


def said(page: Page):
    return page.locator("output[name=found]")


def test_one_goes_from_error_to_error_over_the_whole_log(console, job):
    page = console.open(f"/runs/{job.run_id}/logs")
    expect(page.locator(".line")).to_have_count(300)
    page.get_by_role("button", name="First error").click()
    expect(page.locator(".line.marked .text")).to_have_text("ValueError: line 100")
    expect(page.locator(".line.marked")).to_be_in_viewport()
    expect(page).to_have_url(re.compile(r"line=100#L100$"))
    for n in (2000, 3990):
        page.get_by_role("button", name="Next error").press("Enter")
        expect(page.locator(".line.marked .text")).to_have_text(f"ValueError: line {n}")
        expect(page.locator(".line.marked")).to_be_in_viewport()
    page.get_by_role("button", name="Next error").click()
    expect(said(page)).to_have_text("No later line looks like an error.")
    page.reload()
    expect(page.locator(".line.marked .text")).to_have_text("ValueError: line 3990")


def test_the_whole_log_is_searched_and_a_hit_opens_where_it_stands(console, job):
    page = console.open(f"/runs/{job.run_id}/logs")
    page.get_by_label("Find").fill("STEP=12")
    expect(said(page)).to_have_text("0 lines of those loaded")
    page.get_by_label("Find").press("Enter")
    found = page.locator(".whole")
    # 12, 120 to 129 and 1200 to 1299.
    expect(found.get_by_role("status")).to_have_text(re.compile(r"^100 lines found; searched to line 1,288 of 4,000"))
    found.get_by_role("link", name="Search on").click()
    expect(found.get_by_role("status")).to_have_text("111 lines found; searched to line 4,000 of 4,000.")
    expect(found.locator("mark").first).to_have_text("step=12")
    found.get_by_role("link", name="1,299").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".line.marked .text")).to_have_text("step=1299 loss=0.5")
    expect(page.locator(".line.marked")).to_be_in_viewport()
    expect(said(page)).to_have_text(re.compile("lines of those loaded"))
    page.get_by_role("button", name="Close the search").click()
    expect(found).to_be_hidden()


def test_a_line_is_gone_to_by_its_number_and_its_link_can_be_copied(opening, job):
    watched = opening(permissions=["clipboard-read", "clipboard-write"])
    page = watched.open(f"/runs/{job.run_id}/logs")
    page.get_by_label("Line").fill("1,500")
    page.get_by_label("Line").press("Enter")
    expect(page.locator(".line.marked .n")).to_have_text("1500")
    expect(page.locator(".line.marked")).to_be_in_viewport()
    page.locator("#L1510 .n").click()
    expect(said(page)).to_contain_text("Line 1,510: its link was copied.")
    expect(page).to_have_url(re.compile(r"line=1510#L1510$"))
    copied = page.evaluate("navigator.clipboard.readText()")
    fresh = watched.open(copied.removeprefix(watched.served.address))
    expect(fresh.locator(".line.marked .text")).to_have_text("step=1510 loss=0.5")
    expect(fresh.get_by_role("button", name="Follow")).to_have_attribute("aria-pressed", "false")


def test_a_time_is_gone_to_in_the_readers_zone(console, job):
    page = console.open(f"/runs/{job.run_id}/logs")
    expect(page.locator(".zone")).to_have_text("UTC+9")
    page.get_by_label("Time", exact=False).first.fill("2026-01-01T00:00:00")
    with page.expect_request(re.compile(r"at=2025-12-31T15%3A00%3A00.000Z")):
        page.get_by_role("button", name="Go").click()
    expect(page.locator(".line.marked .n")).to_have_text("1")


def test_lines_before_and_behind_a_window_come_without_gaps_and_follow_returns(console, job):
    page = console.open(f"/runs/{job.run_id}/logs?line=2000")
    page.get_by_role("button", name="Load earlier lines").click()
    expect(page.locator("#L850")).to_have_count(1)
    page.get_by_role("button", name="Load later lines").click()
    expect(page.locator("#L3149")).to_have_count(1)
    numbers = page.eval_on_selector_all(".line", "lines => lines.map((line) => Number(line.dataset.n))")
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    page.get_by_role("button", name="Follow").click()
    expect(page.locator("#L4000")).to_be_in_viewport()
    expect(page).to_have_url(re.compile(r"/logs$"))


def test_lines_of_a_megabyte_are_cut_open_on_demand_and_do_not_freeze_the_page(console, served):
    job = served.open_job("long lines")
    for n in range(8):
        job.post("logs", chunks=[f"{n} " + "x" * 900_000 + " end\n", "short\n", "y" * 3000 + "\n"], eof=False)
    page = console.open(f"/runs/{job.run_id}/logs")
    expect(page.locator(".line")).to_have_count(24)
    assert page.evaluate("document.body.innerHTML.length") < 200_000
    assert page.evaluate(LONGEST_TASK) < 2_000
    page.get_by_role("link", name="show all 3,000 characters").first.click()
    expect(page.locator("#L3 .text")).to_have_text("y" * 3000)
    page.get_by_role("link", name="show the whole line").first.click()
    expect(page.locator("#L1 .text")).to_have_text(re.compile(r"^0 x.*x end$"))
    expect(page.locator("#L1 .more")).to_have_count(0)
    job.post("logs", chunks=["z" * 5000 + "\n"], eof=False)
    expect(page.get_by_role("link", name="show all 5,000 characters")).to_have_count(1, timeout=LIVE)


def test_what_turns_text_around_turns_nothing_around(console, served):
    job = served.open_job("turned")
    job.post("logs", chunks=[f"{TURNED}\n", "\u202eplain\n", "שלום 123 abc\n"], eof=False)
    page = console.open(f"/runs/{job.run_id}/logs")
    expect(page.locator("#L1 .text")).to_have_text(
        "safe \ufffdexe.doc\ufffd \ufffdx\ufffd z\u200bw a\u0301\u0301\u0301"
    )
    expect(page.locator("#L3 .text")).to_have_text("שלום 123 abc")
    left = page.eval_on_selector_all(".line .n", "all => all.map((one) => one.getBoundingClientRect().left)")
    assert len(set(left)) == 1


def test_a_line_that_comes_is_marked_as_the_server_says(console, served):
    job = served.open_job("live errors")
    job.post("logs", chunks=["fine\n"], eof=False)
    page = console.open(f"/runs/{job.run_id}/logs")
    expect(page.locator("tp-live")).to_have_attribute("state", "live", timeout=LIVE)
    job.post("logs", chunks=["0 errors\n", "KeyError: 'x'\n"], eof=False)
    expect(page.locator(".line.error .text")).to_have_text("KeyError: 'x'", timeout=LIVE)
    expect(page.locator("#L2.error")).to_have_count(0)


def test_a_log_is_followed_though_the_window_changes_and_tells_its_length(console, served):
    job = served.open_job("followed")
    job.post("logs", chunks=[f"step {n} loss 0.5\n" for n in range(200)], eof=False)
    page = console.open(f"/runs/{job.run_id}/logs")
    expect(page.locator("tp-live")).to_have_attribute("state", "live", timeout=LIVE)
    expect(page.locator("tp-live")).to_have_text("page updates itself")
    follow = page.get_by_role("button", name="Follow")
    for width, height in ((390, 844), (1280, 400), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(TWO_FRAMES)
        expect(follow).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#L200")).to_be_in_viewport()
    job.post("logs", chunks=["the last\n"], eof=False)
    expect(page.locator("#L201")).to_be_in_viewport(timeout=LIVE)
    expect(page.get_by_label("Line")).to_have_attribute("placeholder", "of 201")
