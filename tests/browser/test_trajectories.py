"""Trajectories in a real browser: read by keyboard, one message linked, two turned over together."""

import re

import pytest
from playwright.sync_api import Page, expect
from tuneplane.contract import trajectory_id

pytestmark = pytest.mark.browser

HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
CALL = {"tool_name": "calc", "tool_call_id": "c1"}


def keep(job, trial: str, messages: list[dict[str, object]], trial_attempt: int = 0, scope: str = "validation") -> str:
    trace = {"scope": scope, "round_id": "r1", "trial_id": trial, "trial_attempt": trial_attempt, "messages": messages}
    more = {"total_messages": len(messages), "complete": True, "capture_policy": "sampled"}
    job.post("trajectory", trace={**trace, **more})
    return trajectory_id(scope, "r1", trial, trial_attempt)


def said(content: str, role: str = "assistant", **more: object) -> dict[str, object]:
    return {"role": role, "content": content, **more}


@pytest.fixture(scope="module")
def job(served):
    return served.open_job("trajectories")


@pytest.fixture(scope="module")
def name(job):
    """30 messages: a call with its result as 2 and 3, a long one as 5."""
    keep(job, "older", [said("older")])
    messages = [said(f"message {n}") for n in range(1, 31)]
    messages[1:3] = [said('{"a": 1}', **CALL), said("back", "tool", tool_call_id="c1")]
    messages[4] = said("long\n" * 400 + "needle at the end")
    messages[6] = said(HOSTILE)
    made = keep(job, "read me", messages)
    keep(job, "newer", [said("newer")])
    return made


def at(page: Page, number: str) -> None:
    expect(page.locator(f'.messages [data-number="{number}"]').last).to_be_focused()


def test_j_and_k_go_from_message_to_message_over_the_ends_of_pages(console, job, name):
    page = console.open(f"/runs/{job.run_id}/trajectories/{name}")
    for number in ("1", "2", "3", "4"):
        page.keyboard.press("j")
        at(page, number)
    expect(page.locator("details.tool")).to_have_attribute("open", "")
    expect(page).to_have_url(re.compile("#message-4$"))
    page.keyboard.press("k")
    at(page, "3")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"page=2"))
    page.keyboard.press("k")
    at(page, "30")
    page.goto(f"{job.served.address}/runs/{job.run_id}/trajectories/{name}?page=2#message-21")
    at(page, "21")
    page.keyboard.press("k")
    expect(page).to_have_url(re.compile(r"page=1#message-20$"))
    at(page, "20")
    page.keyboard.press("j")
    at(page, "21")


def test_keys_open_a_message_show_themselves_and_are_never_taken_from_typing(console, job, name):
    page = console.open(f"/runs/{job.run_id}/trajectories/{name}#message-5")
    at(page, "5")
    whole = page.locator("#message-5 details")
    page.keyboard.press("o")
    expect(whole).to_have_attribute("open", "")
    expect(page.locator("#message-5 .preview")).to_be_hidden()
    page.keyboard.press("o")
    expect(page.locator("#message-5 .preview")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("next, previous message")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("jk[?o")
    expect(page.get_by_label("Search")).to_have_value("jk[?o")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page).to_have_url(re.compile("#message-5$"))


def test_one_walks_through_the_trajectories_of_a_filter(console, job, name):
    page = console.open(f"/runs/{job.run_id}/trajectories")
    page.get_by_label("Scope").select_option("validation")
    expect(page).to_have_url(re.compile("scope=validation"))
    page.get_by_role("link", name="read me").click()
    expect(page.locator("h2.trial")).to_have_text("read me")
    for key, trial in (("]", "older"), ("[", "read me"), ("[", "newer")):
        page.wait_for_load_state()
        page.keyboard.press(key)
        expect(page.locator("h2.trial")).to_have_text(trial)
    expect(page).to_have_url(re.compile("scope=validation"))


def test_the_index_shows_what_comes_and_is_filtered_without_a_reload(console, job, name):
    page = console.open(f"/runs/{job.run_id}/trajectories")
    keep(job, "just now", [said("fresh")], scope="training")
    expect(page.get_by_role("link", name="just now")).to_be_visible(timeout=20_000)
    page.get_by_label("Trial").fill("just now")
    expect(page).to_have_url(re.compile(r"trial_id=just(\+|%20)now"))
    expect(page.locator("table.trajectories tbody tr")).to_have_count(1)
    page.reload()
    expect(page.get_by_label("Trial")).to_have_value("just now")


def test_a_hit_is_opened_and_marked_where_it_stands(console, job, name):
    page = console.open(f"/runs/{job.run_id}/trajectories/{name}")
    page.get_by_label("Search").fill("NEEDLE")
    page.keyboard.press("Enter")
    expect(page.locator(".found li")).to_have_count(1)
    expect(page.locator("#message-5 details")).to_have_attribute("open", "")
    assert page.evaluate("CSS.highlights.get('searched').size") == 1
    page.locator(".found a").click()
    expect(page).to_have_url(re.compile(r"page=1&q=NEEDLE#message-5$"))
    at(page, "5")


def test_the_link_to_one_message_is_copied(opening, job, name):
    watched = opening(permissions=["clipboard-read", "clipboard-write"])
    page = watched.open(f"/runs/{job.run_id}/trajectories/{name}?page=2")
    page.get_by_role("button", name="Copy the link to message 27").click()
    expect(page.get_by_role("button", name="Copy the link to message 27")).to_have_text("copied")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{job.served.address}/runs/{job.run_id}/trajectories/{name}?page=2#message-27"


def test_hostile_text_stays_text(console, job, name):
    page = console.open(f"/runs/{job.run_id}/trajectories/{name}")
    expect(page.locator("#message-7 pre")).to_have_text(HOSTILE)
    assert page.locator(".messages img, .messages script").count() == 0
    assert page.title().startswith("read me")


def test_two_are_turned_over_together_and_keys_move_both(console, job, name):
    other = keep(job, "read me", [said(f"other {n}") for n in range(1, 23)], trial_attempt=1)
    page = console.open(f"/review/trajectories?left={job.run_id}:{name}&right={job.run_id}:{other}")
    for _ in range(6):
        page.keyboard.press("j")
    at_six = page.locator('[data-number="6"].now')
    expect(at_six).to_have_count(2)
    expect(at_six.first).to_be_in_viewport()
    expect(at_six.last).to_be_in_viewport()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#left-message-21")).to_have_text(re.compile("message 21"))
    expect(page.locator("#right-message-21")).to_have_text(re.compile("other 21"))
    page.get_by_role("link", name="Exchange sides").click()
    expect(page.locator("#left-message-21")).to_have_text(re.compile("other 21"))


def test_a_text_is_deleted_after_a_question(console, job):
    name = keep(job, "goes away", [said("secret")])
    page = console.open(f"/runs/{job.run_id}/trajectories/{name}")
    page.get_by_role("link", name="Delete the text").click()
    expect(page.locator(".deletion")).to_contain_text("all result counts and rates")
    page.get_by_role("button", name="Delete the text").click()
    expect(page.locator(".text-part")).to_contain_text("The text was deleted.")
    expect(page.locator(".trajectory-facts .state")).to_have_text("deleted")
    expect(page.get_by_text("secret")).to_have_count(0)
