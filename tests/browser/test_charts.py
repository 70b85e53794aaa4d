"""The Charts tab in a browser: what stands first, what is drawn, what the keyboard does, and thousands of series."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

LIVE = 15_000
"""Milliseconds that something live may take on a busy machine."""
LONG_TASKS = """window.longTasks = [];
new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((one) => one.duration)))
  .observe({ type: 'longtask', buffered: true });"""
SCROLL_AND_SEARCH = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  window.longTasks.length = 0;
  let most = 0;
  for (let down = 0; down < document.documentElement.scrollHeight; down += 3000) {
    scrollTo(0, down);
    await frame();
    most = Math.max(most, document.querySelectorAll('tp-chart').length);
  }
  const search = document.querySelector('[name=series]');
  for (const text of ['s', 'series 4', 'series 40', '']) {
    search.value = text;
    search.oninput();
    await frame();
  }
  await frame();
  return { most, longest: Math.max(0, ...window.longTasks) };
}"""
LONGEST_MILLISECONDS = 3_000
"""Of one task, on a machine that does much else; docs say what was measured."""


def chart(page: Page, key: str):
    return page.locator(f"tp-chart[data-key={json.dumps(key)}]")


def keys(page: Page) -> list[str]:
    found: list[str] = page.eval_on_selector_all("tp-chart", "all => all.map((one) => one.dataset.key)")
    return found


@pytest.fixture(scope="module")
def job(served):
    """`still` ends where it began, `half` halved, `gone` fell to zero."""
    job = served.open_job("charts")
    job.points("a/still", [1.0, 5.0, 1.0])
    job.points("b/half", [2.0, 1.0])
    job.points("b/gone", [3.0, 0.0])
    job.points("c/long", [float(n % 17) for n in range(6_000)])
    job.points("val-core/openai/gsm8k/acc/mean@8", [0.25, 0.5])
    job.points("val-aux/math/acc/best@4/mean", [0.25, 0.5])
    return job


def test_the_most_changed_stand_first_and_other_orders_can_be_chosen_and_linked(console, job):
    page = console.open(f"/runs/{job.run_id}")
    expect(page.get_by_label("Order")).to_have_value("changed")
    expect(page.locator("tp-chart").nth(0)).to_have_attribute("data-key", "b/gone")
    expect(page.locator("tp-chart").nth(1)).to_have_attribute("data-key", "b/half")
    expect(page.locator("[name=order-says]")).to_contain_text("nothing of better or worse")
    page.get_by_label("Order").select_option("name")
    expect(page.locator("tp-chart").nth(0)).to_have_attribute("data-key", "a/still")
    expect(page).to_have_url(re.compile("order=name"))
    page.reload()
    expect(page.locator("tp-chart").nth(0)).to_have_attribute("data-key", "a/still")


def test_pins_stand_first_survive_a_reload_and_travel_by_link(console, opening, job):
    page = console.open(f"/runs/{job.run_id}")
    chart(page, "a/still").get_by_role("button", name="Pin a/still").click()
    expect(page.locator("tp-chart").first).to_have_attribute("data-key", "a/still")
    expect(page.locator(".group").first).to_have_text("Pinned 1")
    linked = page.url
    page.goto(f"{job.served.address}/runs/{job.run_id}")
    expect(page.locator("tp-chart").first).to_have_attribute("data-key", "a/still")
    elsewhere = opening().open(linked.removeprefix(job.served.address))
    expect(elsewhere.locator("tp-chart").first).to_have_attribute("data-key", "a/still")
    unpin = chart(page, "a/still").get_by_role("button", name="Pin a/still")
    expect(unpin).to_have_attribute("aria-pressed", "true")
    unpin.click()
    expect(page.locator("tp-chart").first).to_have_attribute("data-key", "b/gone")


def test_groups_close_and_stay_closed(console, job):
    page = console.open(f"/runs/{job.run_id}")
    group = page.get_by_role("button", name=re.compile("^c 1"))
    expect(group).to_have_attribute("aria-expanded", "true")
    group.press("Enter")
    expect(chart(page, "c/long")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("button", name=re.compile("^c 1"))).to_have_attribute("aria-expanded", "false")
    expect(chart(page, "c/long")).to_have_count(0)


def test_a_slash_searches_and_is_typed_where_one_types(console, job):
    page = console.open(f"/runs/{job.run_id}")
    expect(chart(page, "b/gone")).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_label("Search series")).to_be_focused()
    page.keyboard.type("B/G")
    expect(page.locator("tp-chart")).to_have_count(1)
    expect(page.locator("[name=found]")).to_have_text("1 of 6 series")
    expect(page.get_by_label("Search series")).to_have_value("B/G")


def test_validation_keys_are_filtered_by_their_facets(console, job):
    page = console.open(f"/runs/{job.run_id}")
    page.get_by_label("Dataset").select_option("openai/gsm8k")
    expect(page.locator("tp-chart")).to_have_count(1)
    expect(chart(page, "val-core/openai/gsm8k/acc/mean@8").locator("h3")).to_have_attribute(
        "title", re.compile("group: core\nsampling count: 8")
    )
    page.get_by_label("Dataset").select_option("")
    page.get_by_label("Samples").select_option("4")
    assert keys(page) == ["val-aux/math/acc/best@4/mean"]


def test_smoothing_is_a_second_line_with_numbers_of_the_server(console, job):
    page = console.open(f"/runs/{job.run_id}?smooth=0.5&q=a/still")
    still = chart(page, "a/still")
    expect(still.locator(".say")).to_have_text("all 3 points; smoothed line over what was observed")
    still.get_by_role("button", name="table").click()
    # Of 1, 5, 1 with the weights 4, 2, 1 of the last three: 15/7; of 1, 5 with 2, 1: 11/3; of 1: 1.
    expect(still.locator("tbody tr > :last-child")).to_have_text(["2.14286", "3.66667", "1"])
    expect(still.locator("tbody tr > :nth-child(3)")).to_have_text(["1", "5", "1"])
    with page.expect_request(re.compile(r"smooth=0\.9")):
        page.get_by_label("Smoothing").fill("0.9")
    expect(page).to_have_url(re.compile(r"smooth=0\.9"))
    with page.expect_request(lambda request: "series/data" in request.url and "smooth" not in request.url):
        page.get_by_label("Smoothing").fill("0")
    expect(still.locator(".say")).to_have_text("all 3 points")


def test_superseded_points_are_one_click_away_and_told_by_attempt(console, served):
    job = served.open_job("restarted")
    job.points("loss", [1.0] * 10)
    again = served.write(f"/api/runs/{job.run_id}/executions")
    restarted = type(job)(served, job.run_id, again["token"])
    restarted.points("loss", [0.5] * 4, first=4)
    page = console.open(f"/runs/{job.run_id}")
    loss = chart(page, "loss")
    expect(loss.locator(".say")).to_have_text("all 8 points")
    page.get_by_label("superseded points").check()
    expect(loss.locator(".say")).to_have_text("all 8 points; superseded: attempt 0")
    loss.get_by_role("button", name="table").click()
    expect(loss.locator("tbody").nth(1).locator("tr")).to_have_count(1 + 6)
    expect(loss.locator("tbody").nth(1)).to_contain_text("superseded, attempt 0")
    page.get_by_label("superseded points").uncheck()
    expect(loss.locator("tbody")).to_have_count(1)


def test_percentages_and_ratios_are_as_declared_and_the_rest_is_neutral(console, served):
    job = served.open_job("declared")
    for key in ("percent", "ratio", "unknown"):
        job.points(key, [0.25, 0.5])
    semantics = {
        "percent": {"display": "percent", "unit": "percent", "direction": "lower"},
        "ratio": {"display": "ratio", "unit": "fraction", "direction": "higher"},
    }
    job.post("observations", events=[], contract={"version": 1, "semantics": semantics})
    page = console.open(f"/runs/{job.run_id}")
    expect(chart(page, "percent").locator(".last")).to_have_text("0.5 %")
    expect(chart(page, "percent").locator(".say")).to_contain_text("↓ better")
    expect(chart(page, "ratio").locator(".last")).to_have_text("0.5 = 50 %")
    expect(chart(page, "ratio").locator(".say")).to_contain_text("↑ better")
    expect(chart(page, "unknown").locator(".last")).to_have_text("0.5")
    expect(chart(page, "unknown").locator(".say")).to_have_text("all 2 points")
    expect(chart(page, "unknown").locator("h3")).to_have_attribute("title", re.compile("numeric and neutral"))


def test_a_chart_is_zoomed_and_moved_by_keyboard(console, job):
    page = console.open(f"/runs/{job.run_id}?q=c/long")
    long = chart(page, "c/long")
    expect(long.locator(".say")).to_have_text(re.compile("buckets of 6,000 points"))
    long.locator(".plot").focus()
    page.keyboard.press("+")
    expect(page.locator("[name=zoom]")).to_have_text("step 1,499 to 4,495")
    page.keyboard.press("+")
    page.keyboard.press("+")
    expect(long.locator(".say")).to_have_text(re.compile(r"^all 7[45]\d points$"))
    before = page.locator("[name=zoom]").inner_text()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[name=zoom]")).not_to_have_text(before)
    page.keyboard.press("-")
    expect(page.locator("[name=zoom]")).to_have_text(re.compile("^step"))
    page.keyboard.press("0")
    expect(page.locator("[name=zoom]")).to_have_text("")
    expect(long.locator(".say")).to_have_text(re.compile("buckets of 6,000 points"))


def test_the_crosshair_reads_every_chart_at_the_same_step(console, job):
    page = console.open(f"/runs/{job.run_id}?q=b/")
    half, gone = chart(page, "b/half"), chart(page, "b/gone")
    box = half.locator(".u-over").bounding_box()
    assert box is not None
    expect(gone.locator("canvas")).to_be_visible()
    page.mouse.move(box["x"] + 2, box["y"] + 40)
    expect(half.locator(".say")).to_have_text("step 0: 2")
    expect(gone.locator(".say")).to_have_text("step 0: 3")


def test_a_point_that_comes_is_drawn(console, served):
    job = served.open_job("live")
    job.points("loss", [2.0])
    page = console.open(f"/runs/{job.run_id}")
    expect(chart(page, "loss").locator(".last")).to_have_text("2")
    expect(page.locator("tp-live")).to_have_attribute("state", "live", timeout=LIVE)
    job.points("loss", [1.0], first=1)
    expect(chart(page, "loss").locator(".last")).to_have_text("1", timeout=LIVE)
    page.goto(f"{served.address}/runs/{job.run_id}?series=loss")
    expect(page.locator("tp-enlarged canvas")).to_be_visible()
    expect(page.locator("tp-live")).to_have_attribute("state", "live", timeout=LIVE)
    job.points("loss", [0.5], first=2)
    expect(page.locator("[data-of=last]")).to_have_text("0.5", timeout=LIVE)


def test_chosen_series_are_drawn_in_one_chart_that_has_an_address(console, job):
    page = console.open(f"/runs/{job.run_id}?order=name")
    page.get_by_label("Choose b/half").check()
    page.get_by_label("Choose b/gone").check()
    page.get_by_role("link", name="Draw 2 in one chart").click()
    expect(page.locator("tp-enlarged canvas")).to_be_visible()
    assert page.eval_on_selector_all("tr[data-key]", "all => all.map((one) => one.dataset.key)") == ["b/half", "b/gone"]
    expect(page.locator("tp-enlarged .plot")).to_have_attribute(
        "aria-label", re.compile("b/half: 2 steps.*b/gone: 2 steps")
    )
    box = page.locator("tp-enlarged .u-over").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] - 3, box["y"] + 40)
    expect(page.locator("tr", has_text="b/half").locator("[data-of=here]")).to_have_text("step 1: 1")
    expect(page.locator("tr", has_text="b/gone").locator("[data-of=here]")).to_have_text("step 1: 0")
    page.get_by_label("log", exact=True).check()
    page.locator("tr", has_text="b/half").get_by_role("link", name="Take out").click()
    expect(page).to_have_url(re.compile(r"log=1.*series=b%2Fgone$"))
    page.get_by_role("link", name="All charts").click()
    expect(page.locator("tp-chart").first).to_be_visible()


def test_thousands_of_series_stay_quick_and_only_what_is_near_the_view_is_there(opening, served):
    job = served.open_job("many")
    points = [
        {"key": f"group {n % 40:02}/series {n:04}", "step": 0, "value": n, "ts": "2026-01-01T00:00:00Z"}
        for n in range(4096)
    ]
    for start in range(0, len(points), 2048):
        job.post("metrics", points=points[start : start + 2048])
    watched = opening(viewport={"width": 1280, "height": 800})
    watched.context.add_init_script(LONG_TASKS)
    page = watched.open("/help")
    read: list[str] = []
    page.on("request", lambda request: read.append(request.url))
    page.goto(f"{served.address}/runs/{job.run_id}")
    expect(page.locator("tp-chart canvas").first).to_be_visible(timeout=LIVE)
    expect(page.locator("[name=found]")).to_have_text("", timeout=LIVE)
    expect(page.get_by_label("Search series")).to_have_attribute("placeholder", "4,096 series")
    assert sum(url.count("key=") for url in read if "/series/data" in url) < 100
    found = page.evaluate(SCROLL_AND_SEARCH)
    assert found["most"] < 60
    assert found["longest"] < LONGEST_MILLISECONDS
    page.get_by_label("Search series").fill("series 4095")
    expect(page.locator("tp-chart")).to_have_count(1)
    expect(page.locator("tp-chart .last")).to_have_text("4,095", timeout=LIVE)
