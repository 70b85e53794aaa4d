"""Accounts, one's own account and shares, in a real browser and by keyboard."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_an_administrator_makes_an_account_whose_owner_signs_in_and_is_put_out(console, opening, served):
    page = console.open("/people")
    page.get_by_label("Name").focus()
    page.keyboard.type("grace")
    page.keyboard.press("Tab")
    page.keyboard.type("viewer")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    password = page.get_by_role("status", name="New password").locator("code").inner_text()
    assert password not in page.url

    hers = opening(signed_in=False)
    own = hers.open("/login")
    own.get_by_label("Name").fill("grace")
    own.get_by_label("Password").fill(password)
    own.keyboard.press("Enter")
    expect(own.get_by_role("link", name="My jobs")).to_have_attribute("href", "/?owner=grace")
    expect(own.get_by_role("link", name="People")).to_have_count(0)
    own.get_by_role("link", name="grace").click()
    expect(own.get_by_text("Role viewer")).to_be_visible()

    page.goto(served.address + "/people")
    row = page.get_by_role("row", name=re.compile("^grace"))
    expect(row.get_by_role("cell").nth(3)).to_have_text("1")
    row.get_by_label("Role of grace").select_option("member")
    row.get_by_label("content for grace").check()
    row.get_by_role("button", name="Save rights of grace").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("rights were changed")
    own.reload()
    expect(own.get_by_text("Role member; permissions: content")).to_be_visible()

    row.get_by_text("More").press("Enter")
    row.get_by_role("button", name="Disable grace").press("Enter")
    expect(row).to_contain_text("disabled")
    own.reload()
    expect(own).to_have_url(re.compile("/login"))


def test_a_token_is_shown_once_and_taken_back(console, served):
    page = console.open("/account")
    page.get_by_label("Name").fill("from the browser")
    page.get_by_role("button", name="Make a token").press("Enter")
    token = page.get_by_role("status", name="New token").locator("code").first.inner_text()
    ask = {"Authorization": f"Bearer {token}"}
    assert console.context.request.get(served.address + "/api/runs", headers=ask).status == 200
    page.goto(served.address + "/account")
    assert token not in page.content()
    page.get_by_role("button", name="Take back from the browser").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("The token was taken back")
    assert console.context.request.get(served.address + "/api/runs", headers=ask).status == 401
    console.complaints = [one for one in console.complaints if "401" not in one]


def test_who_watches_a_job_is_put_out_when_the_account_is_disabled(opening, served):
    """The page asks for its head every 10 s, and a stream proves its reader again every 15 s."""
    job = served.open_job("watched")
    password = re.search(r"<p><code>([\w-]{24})</code></p>", people(served, "", name="lena", role="viewer"))
    assert password is not None
    watched = opening(signed_in=False)
    page = watched.open("/login")
    page.get_by_label("Name").fill("lena")
    page.get_by_label("Password").fill(password[1])
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="My jobs")).to_be_visible()
    page.goto(f"{served.address}/runs/{job.run_id}")
    expect(page.locator("tp-live")).to_have_attribute("state", "live", timeout=15_000)
    people(served, "/disable", name="lena")
    expect(page).to_have_url(re.compile("/login"), timeout=25_000)
    watched.complaints = [one for one in watched.complaints if "401" not in one]


def people(served, path: str, **fields: str) -> str:
    """What the administrator's form answers."""
    form = {"csrf": served.http.headers["X-CSRF-Token"], **fields}
    return served.http.post(f"/people{path}", data=form, follow_redirects=True).text


def test_a_share_is_made_without_scripts(opening, served):
    job = served.open_job("plain")
    watched = opening(java_script_enabled=False)
    page = watched.open(f"/runs/{job.run_id}")
    page.get_by_role("button", name="Make a share").click()
    link = page.get_by_role("status", name="New share").locator("code").inner_text()
    assert watched.context.request.get(served.address + "/s/" + link.rpartition("/s/")[2]).status == 200
    expect(page.get_by_role("region", name="Shares")).to_contain_text("no name")


def test_the_public_page_leads_nowhere_and_tells_nobody_where_one_was(opening, served, console):
    job = served.open_job("outside", notes="internal")
    job.points("loss", [3.0, 2.0, 1.0])
    job.post("hparams", params={"lr": 0.5, "api_key": "hidden"})
    made = served.write(f"/api/runs/{job.run_id}/share", days=1)
    watched = opening(signed_in=False)
    asked: list[str] = []
    watched.context.on("request", lambda request: asked.append(request.headers.get("referer", "")))
    page = watched.open("/s/" + made["url"].rpartition("/s/")[2])
    expect(page.locator("tp-chart .last").first).to_have_text("1")
    expect(page.get_by_role("row", name="api_key")).to_contain_text("[not shown]")
    assert page.locator("a[href^='/']:not([href^='/s/'])").count() == 0
    assert [one for one in asked if one and "/static/" not in one] == []  # scripts ask for scripts
