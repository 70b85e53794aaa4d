"""The table of jobs in a real browser: it renews itself row by row, is arranged and compared, by keyboard too."""

import re

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

LIVE = 15_000
"""Milliseconds that something live may take on a busy machine."""


@pytest.fixture(scope="module")
def team(served):
    """Three jobs of one tag, so that others' jobs are not in the way."""
    made = []
    for name, lr, accuracy in (("alpha", 1e-3, 0.25), ("beta", 1e-5, 0.75), ("gamma", 1e-4, None)):
        job = served.open_job(name, tags=["table"])
        job.post("hparams", params={"lr": lr, "model": "small"})
        if accuracy is not None:
            job.points("eval/accuracy", [0.5, accuracy])
        made.append(job)
    return made


def rows(page: Page):
    return page.locator("tbody th.name a bdi")


def test_a_point_that_comes_is_shown_without_losing_focus_ticks_or_the_selection(console, served, team):
    page = console.open("/?tag=table&column=last:eval/accuracy&sort=name")
    cell = page.locator(f"#row-{team[0].run_id} td").last
    expect(cell).to_have_text("0.25")
    tick = page.get_by_role("checkbox", name="Compare beta")
    tick.check()
    expect(tick).to_be_focused()
    page.evaluate("window.same = document.activeElement")
    team[0].points("eval/accuracy", [0.125], first=2)
    expect(cell).to_have_text("0.125", timeout=LIVE)
    expect(tick).to_be_focused()
    expect(tick).to_be_checked()
    assert page.evaluate("window.same === document.activeElement")


def test_a_row_that_moves_takes_its_focus_along(console, served, team):
    page = console.open("/?tag=table&column=last:eval/accuracy&sort=last:eval/accuracy")
    expect(rows(page).first).to_have_text("alpha")
    link = page.get_by_role("link", name="alpha")
    link.focus()
    team[0].points("eval/accuracy", [2.0], first=3)
    expect(rows(page).first).to_have_text("beta", timeout=LIVE)
    expect(link).to_be_focused()
    team[0].points("eval/accuracy", [0.25], first=4)


def test_a_selection_of_text_is_left_alone_and_renewed_afterwards(console, served, team):
    page = console.open("/?tag=table&column=last:eval/accuracy&sort=name")
    page.evaluate("document.getSelection().selectAllChildren(document.querySelector('tbody th.name a'))")
    chosen = page.evaluate("document.getSelection().toString()")
    team[1].points("eval/accuracy", [0.5], first=3)
    with page.expect_response(lambda answer: "tag=table" in answer.url and answer.request.resource_type == "fetch"):
        pass
    assert page.evaluate("document.getSelection().toString()") == chosen
    page.evaluate("document.getSelection().removeAllRanges()")
    expect(page.locator(f"#row-{team[1].run_id} td").last).to_have_text("0.5", timeout=LIVE)
    team[1].points("eval/accuracy", [0.75], first=4)


def test_a_new_job_joins_the_table_where_it_belongs(console, served, team):
    page = console.open("/?tag=joining&sort=name")
    expect(page.get_by_text("No job meets these filters")).to_be_visible()
    served.open_job("m", tags=["joining"])
    expect(rows(page)).to_have_text(["m"], timeout=LIVE)
    served.open_job("a", tags=["joining"])
    served.open_job("z", tags=["joining"])
    expect(rows(page)).to_have_text(["a", "m", "z"], timeout=LIVE)
    expect(page.locator(".count")).to_have_text(re.compile("^3 jobs that meet"))


def test_columns_are_found_added_pinned_and_sorted_by_keyboard(console, team):
    page = console.open("/?tag=table")
    page.locator("#columns summary").focus()
    page.keyboard.press("Enter")
    page.get_by_role("searchbox", name="Find hyperparameters and series").fill("accuracy")
    expect(page.locator("#found h3")).to_have_text(["Series"])  # what was found, and no longer all there is
    page.locator("#found").get_by_role("link", name="eval/accuracy").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("column=last:eval%2Faccuracy"))
    expect(page.locator("#columns")).to_have_attribute("open", "")
    page.get_by_role("link", name="Pin eval/accuracy").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("pin=last:eval%2Faccuracy"))
    page.locator("thead").get_by_role("link", name="eval/accuracy last").focus()
    page.keyboard.press("Enter")
    expect(rows(page)).to_have_text(["alpha", "beta", "gamma"])
    expect(page.get_by_text("Sorted, not ranked: of the 2 jobs shown")).to_be_visible()
    expect(page.locator("thead").get_by_role("link", name="eval/accuracy last")).to_be_focused()
    page.keyboard.press("Enter")
    expect(rows(page)).to_have_text(["beta", "alpha", "gamma"])
    page.reload()
    expect(rows(page)).to_have_text(["beta", "alpha", "gamma"])
    expect(page.locator("tbody tr").last.locator("td").nth(1)).to_have_text("unknown")


def test_pinned_columns_stay_beside_the_name(opening, team):
    page = opening(viewport={"width": 700, "height": 600}).open("/?tag=table&pin=config:lr&pin=config:model&column=id")
    region = page.get_by_role("region", name="Jobs")
    region.evaluate("(table) => { table.scrollLeft = 400; }")
    name, lr, model = (
        page.locator(f"tbody tr:first-child > {one}").bounding_box() for one in (".name", ".pin-0", ".pin-1")
    )
    assert name is not None
    assert lr is not None
    assert model is not None
    assert abs(lr["x"] - (name["x"] + name["width"])) <= 1
    assert abs(model["x"] - (lr["x"] + lr["width"])) <= 1


def test_a_condition_is_written_taken_and_removed(console, team):
    page = console.open("/?tag=table&sort=name")
    page.get_by_label("Only where").fill("lr < 5e-4")
    page.keyboard.press("Enter")
    expect(rows(page)).to_have_text(["beta", "gamma"])
    expect(page).to_have_url(re.compile("where=lr"))
    page.get_by_label("Only where").fill("lr <")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Not understood")
    page.get_by_role("link", name="Remove the condition lr <", exact=True).click()
    expect(rows(page)).to_have_text(["beta", "gamma"])
    page.get_by_role("link", name="Remove the condition lr < 5e-4").click()
    expect(rows(page)).to_have_text(["alpha", "beta", "gamma"])
    expect(page.get_by_label("Search", exact=True)).to_have_value("")


def test_two_jobs_are_ticked_by_keyboard_and_compared_in_that_order(console, served, team):
    page = console.open("/?tag=table&sort=name")
    compare = page.get_by_role("button", name="Compare two")
    expect(compare).to_be_disabled()
    page.get_by_role("checkbox", name="Compare alpha").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("checkbox", name="Compare gamma")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.get_by_text("1 of 2 ticked")).to_be_visible()
    page.locator("thead").get_by_role("link", name="Name").click()
    page.get_by_role("checkbox", name="Compare alpha").focus()
    page.keyboard.press("Space")
    expect(page.get_by_text("2 of 2 ticked")).to_be_visible()
    compare.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{served.address}/review?left={team[2].run_id}&right={team[0].run_id}")
