"""What a job observed, in a real browser: histograms by click and keys, filters, and what comes while one looks."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.every_page import HOSTILE
from tests.browser.test_pages import LIVE

pytestmark = pytest.mark.browser
TS = "2026-01-01T00:00:00Z"


def histogram(n: int, counts: list[int], bounds: tuple[float, ...] = (0, 2), name: str = "age", **more):
    given = {"id": f"{name}:{n}", "kind": "histogram", "name": name, "ts": TS, "step": 10 * n}
    return {**given, "bounds": list(bounds), "counts": counts, **more}


def event(n: int, name: str, **more):
    return {"id": f"{name}:{n}", "kind": "event", "name": name, "ts": TS, **more}


def beat(n: int, **values):
    said = {"stream_id": "s", "queued_points": 0, "capacity_points": 100, "dropped_points": 0, "dropped_events": 0}
    return {"id": f"b{n}", "kind": "health", "name": "transport", "ts": TS, "values": {**said, **values}}


@pytest.fixture
def job(served):
    job = served.open_job("observed")
    reports = [histogram(n, [n, 9 - n, 4], policy_version=n) for n in range(1, 9)]
    apart = histogram(20, [7, 1], bounds=(5,))
    requirements = [{"id": "core/loss", "candidates": ["loss"]}]
    job.post("observations", events=[*reports, apart], contract={"version": 1, "requirements": requirements})
    job.post("observations", events=[event(1, "agent/terminal", values={"why": HOSTILE}), beat(1)], contract=None)
    return job


def figure(page, bounds: str):
    return page.locator("tp-histogram figure", has_text=bounds)


def test_a_histogram_is_walked_through_by_keys_and_by_a_click(console, job):
    page = console.open(f"/runs/{job.run_id}/observations")
    expect(page.locator("tp-histogram > output")).to_contain_text(
        "all 9 reports; reports of differing bounds stand apart"
    )
    shown = figure(page, "8 reports, 2 bounds")
    said = shown.locator(".bars > small")
    expect(said).to_have_text("step 80: 13 counted, policy version 8")
    shown.get_by_role("slider").focus()
    page.keyboard.press("ArrowLeft")
    expect(said).to_have_text("step 70: 13 counted, policy version 7")
    expect(shown.get_by_role("slider")).to_have_attribute("aria-valuetext", "step 70: 13 counted, policy version 7")
    assert shown.locator(".bars tr").all_inner_texts() == ["(2, ∞)\t4\t", "(0, 2]\t2\t", "(-∞, 0]\t7\t"]
    page.keyboard.press("Home")
    expect(said).to_have_text("step 10: 13 counted, policy version 1")
    box = shown.locator("canvas.heat").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 2.5 / 8, box["y"] + 10)
    expect(said).to_have_text("step 30: 13 counted, policy version 3")
    expect(figure(page, "1 reports, 1 bounds").locator(".bars > small")).to_have_text(
        "step 200: 8 counted, policy version unknown"
    )


def test_the_numbers_of_the_picture_stand_in_a_table(console, job):
    page = console.open(f"/runs/{job.run_id}/observations")
    shown = figure(page, "8 reports, 2 bounds")
    shown.get_by_text("The same numbers as a table").click()
    expect(shown.locator(".numbers tbody tr")).to_have_count(8)
    assert shown.locator(".numbers tbody tr").first.inner_text().split("\t") == ["step 10", "1", "1", "8", "4"]


LOWEST_ROW = """(canvas) => {
  const row = Math.floor(canvas.height * 5 / 6);
  const { data } = canvas.getContext('2d').getImageData(0, row, canvas.width, 1);
  return [0, 1, 2, 3, 4, 5, 6].map((column) => {
    const at = 4 * Math.floor((column + 0.5) * canvas.width / 8);
    return [...data.slice(at, at + 3)];
  });
}"""
"""Colours of the lowest bucket in the first seven of eight reports."""


@pytest.mark.parametrize(("scheme", "darker"), [("light", True), ("dark", False)])
def test_a_fuller_bucket_is_further_from_the_background(opening, job, scheme, darker):
    """The lowest bucket holds 1, 2, … 7 of the first seven reports."""
    page = opening(color_scheme=scheme).open(f"/runs/{job.run_id}/observations")
    heat = figure(page, "8 reports, 2 bounds").locator("canvas.heat")
    expect(heat).to_be_visible()
    lightness = [0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in heat.evaluate(LOWEST_ROW)]
    assert lightness == sorted(lightness, reverse=darker)
    assert len(set(lightness)) == 7


def test_what_is_observed_while_one_looks_appears_and_a_filter_stays(console, job):
    page = console.open(f"/runs/{job.run_id}/observations")
    rows = page.locator("#events-list tbody tr")
    expect(rows).to_have_count(11)
    expect(rows.first).to_contain_text("transport")
    page.get_by_label("Name").fill("agent/terminal")
    expect(rows).to_have_count(1)
    expect(rows.locator("bdi", has_text=HOSTILE)).to_have_count(1)
    expect(page.locator("tp-live")).to_have_attribute("state", "live", timeout=LIVE)
    expect(page.locator("tp-histogram > output")).to_contain_text("all 9 reports")
    late = [event(2, "agent/terminal", policy_version=5), event(1, "else"), histogram(9, [0, 0, 3]), beat(2, node="n7")]
    job.post("observations", events=late, contract=None)
    expect(rows).to_have_count(2, timeout=LIVE)
    expect(page.get_by_label("Name")).to_have_value("agent/terminal")
    expect(page.locator("tp-histogram > output")).to_contain_text("all 10 reports", timeout=LIVE)
    expect(figure(page, "9 reports, 2 bounds").locator(".bars > small")).to_contain_text("step 90: 3 counted")
    expect(page.locator("#reporting")).to_contain_text("n7", timeout=LIVE)
    expect(page.locator("#coverage")).to_contain_text("0 of 1 enabled")
    job.points("loss", [0.5])
    expect(page.locator("#coverage")).to_contain_text("1 of 1 enabled", timeout=LIVE)


def test_filters_are_used_by_keyboard_alone(console, job):
    page = console.open(f"/runs/{job.run_id}/observations")
    page.get_by_label("Name").focus()
    page.keyboard.type("age")
    page.keyboard.press("Enter")
    rows = page.locator("#events-list tbody tr")
    expect(rows).to_have_count(9)
    page.keyboard.press("Tab")
    expect(page.get_by_label("Kind", exact=True)).to_be_focused()
    page.keyboard.type("hea")
    expect(page.locator("#events-list")).to_contain_text("Nothing was observed under this name and kind.")


def test_another_histogram_is_chosen_and_its_own_numbers_are_drawn(console, job):
    job.post("observations", events=[histogram(1, [5, 6], bounds=(1,), name="length")], contract=None)
    page = console.open(f"/runs/{job.run_id}")
    page.get_by_role("link", name="length").click()
    expect(page.locator("tp-histogram")).to_have_attribute("name", "length")
    expect(page.locator("tp-histogram .bars > small")).to_have_text("step 10: 11 counted, policy version unknown")
    page.get_by_label("Over the steps").select_option("age")
    expect(page.locator("tp-histogram > output")).to_contain_text("all 9 reports")


def test_a_receipt_is_reconciled_while_one_looks(console, served):
    job = served.open_job("receipt")
    job.points("loss", [1.0, 2.0])
    page = console.open(f"/runs/{job.run_id}")
    expect(page.locator("#receipt")).to_contain_text("unknown: no reporter told what it sent")
    told = {f"{what}_{unit}": 0 for what in ("duplicate", "set_aside", "sent") for unit in ("points", "events")}
    job.post("observations", events=[beat(1, **{**told, "sent_points": 2, "finished": True})], contract=None)
    job.post("lifecycle", event="succeeded", ts=TS)
    expect(page.locator("#receipt > summary")).to_have_text(re.compile("Delivery: reconciled"), timeout=LIVE)
    page.locator("#receipt > summary").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("row", name=re.compile("points 2 0 0 2 0 reconciled"))).to_be_visible()


def test_the_digests_of_an_import_break_rather_than_push_the_last_column_out(console, job):
    values = {"part": "events.out.tfevents.1796156699.vm.17356.0", "digest": "0" * 64, "said": f"import:{'0' * 64}"}
    long = {"id": f"import:{'0' * 64}", "kind": "event", "name": "import.progress", "ts": TS, "values": values}
    job.post("observations", events=[long], contract=None)
    page = console.open(f"/runs/{job.run_id}/observations")
    page.set_viewport_size({"width": 1280, "height": 900})
    table = page.locator(".table.events")
    expect(table).to_contain_text("import.progress")
    assert table.evaluate("it => it.scrollWidth - it.clientWidth") <= 0
