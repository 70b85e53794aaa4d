"""`/account`: what opens one's own account, seen and changed by nobody else."""

import re
from typing import Literal

import pytest

from application.clock import now
from application.commands.sign_in import SignIn
from application.ports.accounts import Secret
from domain.ids import DAY_MICROS, Micros
from entrypoints.http.console.throttle import FAILURES_A_NAME
from entrypoints.http.signed_in import COOKIE
from tests.console.alone import running
from tests.console.conftest import PASSWORD, Site
from tests.console.test_job_page import text_of
from tests.console.test_jobs import HOSTILE

__all__ = ["running"]

NEW = "another long password"


def csrf_of(site: Site) -> str:
    return site.page("/account").partition('name="csrf" value="')[2].partition('"')[0]


def post(site: Site, path: str, **fields: str):
    return site.client.post(path, data={"csrf": csrf_of(site), **fields}, follow_redirects=False)


def make_token(site: Site, name: str = "ci", days: str = "") -> str:
    """The new token, as the page shows it."""
    [token] = re.findall(
        r"tp_pat_[0-9a-f]{16}_[A-Za-z0-9_-]{43}", post(site, "/account/tokens", name=name, days=days).text
    )
    return token


def opens(site: Site, token: str) -> bool:
    return site.get("/api/runs", authorization=f"Bearer {token}", cookie="").status_code == 200


def kept(site: Site, kind: Literal["personal", "session", "share"]) -> list[str]:
    return [one.id for one in site.container.accounts().secrets_of("ada", kind)]


def test_a_token_is_shown_once_in_the_answer_and_never_in_an_address(site):
    answer = post(site, "/account/tokens", name="ci", days="30")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    assert "location" not in answer.headers
    [token] = re.findall(r"tp_pat_\w{16}_[\w-]{43}", answer.text)
    assert opens(site, token)
    again = site.page("/account")
    assert token not in again
    assert token[:23] in again
    assert text_of(again).count("ci ") >= 1


def test_a_token_ends_after_its_days_or_never(site):
    make_token(site, "short", "2")
    make_token(site, "long")
    secrets = {one.name: one for one in site.container.accounts().secrets_of("ada", "personal")}
    assert secrets["short"].expires_at == secrets["short"].created_at + 2 * DAY_MICROS
    assert secrets["long"].expires_at is None
    assert "when it is taken back" in text_of(site.page("/account"))


def test_a_token_that_has_expired_says_so(site):
    site.container.accounts().add_secret(
        Secret(
            id="0123456789abcdef", secret_hash=b"h", subject="ada", kind="personal", created_at=Micros(0),
            expires_at=Micros(1), name="old",
        )
    )  # fmt: skip
    assert "expired 1970-01-01 00:00:00 UTC" in text_of(site.page("/account"))


@pytest.mark.parametrize("days", ["0", "3651", "-1", "1.5", "x", "99999999999999999999", "٣"])
def test_a_token_with_impossible_days_is_not_made(site, days):
    answer = post(site, "/account/tokens", name="x", days=days)
    assert answer.status_code == 422
    assert "days" in text_of(answer.text)
    assert kept(site, "personal") == []


def test_a_token_that_is_taken_back_opens_nothing_and_the_others_stay(site):
    gone, stays = make_token(site, "gone"), make_token(site, "stays")
    assert post(site, "/account/tokens/end", id=gone.split("_")[2]).status_code == 303
    assert (opens(site, gone), opens(site, stays)) == (False, True)
    assert "The token was taken back." in site.page("/account?said=token")


def test_names_of_tokens_stay_text(site):
    make_token(site, HOSTILE[:128])
    html = site.page("/account")
    assert "<script>alert" not in html
    assert "<img src=x" not in html


@pytest.mark.parametrize("kind", ["session", "personal"])
def test_what_is_anothers_is_answered_as_what_there_is_not(site, kind):
    site.container.manage_accounts().create("bob", password=PASSWORD)
    accounts = site.container.accounts()
    accounts.add_secret(Secret(id="b" * 16, secret_hash=b"h", subject="bob", kind=kind, created_at=now()))
    path = "/account/sessions/end" if kind == "session" else "/account/tokens/end"
    other = [*kept(site, "personal"), *kept(site, "session")] if kind == "personal" else []
    anothers, absent = post(site, path, id="b" * 16), post(site, path, id="c" * 16)
    assert (anothers.status_code, absent.status_code) == (404, 404)
    assert anothers.text == absent.text
    assert accounts.find_secret("b" * 16) is not None
    for secret_id in other:
        assert post(site, path, id=secret_id).status_code == 404
    assert "b" * 16 not in site.page("/account")


def test_sessions_say_when_they_were_opened_and_which_is_this_one(site):
    SignIn(site.container.accounts(), site.container.passwords())("ada", PASSWORD)
    text = text_of(site.page("/account"))
    assert text.count("this one") == 1
    assert text.count("another browser") == 1
    assert text.count("Sign out here") == 1


def test_a_session_that_has_ended_is_not_listed(site):
    SignIn(site.container.accounts(), site.container.passwords(), clock=lambda: Micros(0))("ada", PASSWORD)
    assert "another browser" not in site.page("/account")


def test_one_session_is_ended_and_this_one_stays(site):
    here, other = (
        site.client.cookies[COOKIE],
        SignIn(site.container.accounts(), site.container.passwords())("ada", PASSWORD),
    )
    assert other is not None
    answer = post(site, "/account/sessions/end", id=other.id)
    assert answer.headers["location"] == "/account?said=session"
    assert kept(site, "session") == [here.split("_")[2]]


def test_ending_this_session_signs_out_here(site):
    here = site.client.cookies[COOKIE].split("_")[2]
    answer = post(site, "/account/sessions/end", id=here)
    assert (answer.headers["location"], COOKIE in answer.headers["set-cookie"]) == ("/login", True)
    assert kept(site, "session") == []


def test_signing_out_everywhere_ends_every_session_and_no_token(site):
    here = site.client.cookies[COOKIE]
    SignIn(site.container.accounts(), site.container.passwords())("ada", PASSWORD)
    token = make_token(site)
    assert post(site, "/account/sessions/end-all").headers["location"] == "/login"
    assert kept(site, "session") == []
    assert opens(site, token)
    site.client.cookies.set(COOKIE, here)
    assert site.get("/").status_code == 303


def change(site: Site, old: str = PASSWORD, new: str = NEW, again: str | None = None):
    return post(site, "/account/password", old=old, new=new, again=new if again is None else again)


def test_a_new_password_ends_every_session_and_opens_a_fresh_one(site):
    before = site.client.cookies[COOKIE]
    SignIn(site.container.accounts(), site.container.passwords())("ada", PASSWORD)
    answer = change(site)
    assert (answer.status_code, answer.headers["location"]) == (303, "/account?said=password")
    fresh = answer.headers["set-cookie"].partition("=")[2].partition(";")[0]
    assert kept(site, "session") == [fresh.split("_")[2]]
    assert fresh != before
    assert {"HttpOnly", "SameSite=Lax"} <= set(answer.headers["set-cookie"].split("; "))
    assert NEW not in str(answer.headers)
    site.client.cookies.set(COOKIE, before)
    assert site.get("/").status_code == 303
    assert site.sign_in(password=PASSWORD).status_code == 401
    assert site.sign_in(password=NEW).status_code == 303


@pytest.mark.parametrize(
    ("old", "new", "again", "why"),
    [
        ("wrong", NEW, NEW, "not your password"),
        (PASSWORD, NEW, NEW + "x", "two different ways"),
        (PASSWORD, "short", "short", "12 to 256"),
        (PASSWORD, "x" * 257, "x" * 257, "12 to 256"),
    ],
)
def test_a_password_that_cannot_be_changed_stays(site, old, new, again, why):
    answer = change(site, old, new, again)
    assert answer.status_code == 422
    assert why in text_of(answer.text)
    assert site.sign_in().status_code == 303


def test_whoever_finds_a_session_open_cannot_guess_its_password_for_long(site):
    for _ in range(FAILURES_A_NAME):
        assert change(site, old="guess").status_code == 422
    assert change(site).status_code == 429
    assert site.sign_in().status_code == 429


@pytest.mark.parametrize(
    "path",
    ["password", "sessions/end", "sessions/end-all", "tokens", "tokens/end"],
)
def test_nothing_changes_without_the_sessions_csrf_token(site, path):
    before = kept(site, "session"), kept(site, "personal")
    for csrf in ("", "guessed"):
        fields = {"csrf": csrf, "old": PASSWORD, "new": NEW, "again": NEW, "id": before[0][0]}
        assert site.client.post(f"/account/{path}", data=fields).status_code == 403
    assert (kept(site, "session"), kept(site, "personal")) == before
    assert site.container.accounts().find("ada").password_hash == PASSWORD


def test_what_the_account_may_is_said(site):
    assert "no further permissions" in text_of(site.page("/account"))
    site.container.manage_accounts().grant("ada", permissions=["audit"])
    assert "permissions: audit" in text_of(site.page("/account"))


def test_what_the_address_says_was_done_is_one_of_our_sentences(site):
    assert '<p class="said"' not in site.page("/account?said=hacked")
    assert "hacked" not in site.page("/account?said=hacked")


def test_my_jobs_are_one_click_away(site):
    site.container.create_run()(name="mine", owner="ada")
    site.container.create_run()(name="not mine", owner="bob")
    assert '<a href="/?owner=ada">My jobs</a>' in site.page("/")
    text = text_of(site.page("/?owner=ada"))
    assert "mine" in text
    assert "not mine" not in text
