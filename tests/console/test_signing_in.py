import itertools
from urllib.parse import quote

import pytest

from application.commands.sign_in import SESSION_MICROS, SESSIONS_A_PERSON, SignIn
from domain.ids import Micros
from entrypoints.http.console.local_path import local_path
from entrypoints.http.console.throttle import (
    FAILURES_A_NAME,
    FAILURES_AN_ADDRESS,
    WINDOW_SECONDS,
    SignInThrottle,
    network,
)
from entrypoints.http.errors import TooManyRequests
from entrypoints.http.signed_in import COOKIE
from entrypoints.settings import Settings
from tests.console.alone import running
from tests.console.conftest import PASSWORD, QuickPasswords, site_of

__all__ = ["running"]

WRONG = "do not belong together"


@pytest.mark.parametrize("path", ["/", "/runs/r", "/runs/r/logs", "/runs/r/validation", "/runs/r/head", "/help"])
def test_without_a_session_every_page_leads_to_the_sign_in_page_and_back(closed, path):
    answer = closed.get(path)
    assert answer.status_code == 303
    assert answer.headers["location"] == ("/login" if path == "/" else f"/login?next={quote(path, safe='')}")


def test_the_question_part_of_an_address_survives_signing_in(closed):
    asked = closed.get("/?q=a b&status=failed").headers["location"]
    form = closed.page(asked)
    assert 'name="next" value="/?q=a%20b&amp;status=failed"' in form or 'value="/?q=a+b&amp;status=failed"' in form


def test_after_signing_in_one_is_where_one_wanted_to_be(closed):
    answer = closed.client.post(
        "/login", data={"name": "ada", "password": PASSWORD, "next": "/runs/r/logs"}, follow_redirects=False
    )
    assert (answer.status_code, answer.headers["location"]) == (303, "/runs/r/logs")


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        "javascript:alert(1)",
        "evil.example",
        "",
        "/a\\..\\b",
        "/" + "a" * 3_000,
        "/päge",
    ],
)
def test_signing_in_never_leads_to_another_host(closed, elsewhere):
    assert local_path(elsewhere) == "/"
    answer = closed.client.post(
        "/login", data={"name": "ada", "password": PASSWORD, "next": elsewhere}, follow_redirects=False
    )
    assert answer.headers["location"] == "/"


@pytest.mark.parametrize("path", ["/", "/runs/r-1/logs?attempt=0", "/?q=//x", "/runs/a//b"])
def test_paths_of_this_server_are_kept(path):
    assert local_path(path) == path


@pytest.mark.parametrize(("name", "password"), [("ada", "wrong"), ("nobody", PASSWORD), ("\x00", "x"), ("", "")])
def test_a_failure_does_not_say_whether_the_name_or_the_password_was_wrong(closed, name, password):
    answer = closed.sign_in(name, password)
    assert answer.status_code == 401
    assert WRONG in answer.text
    assert COOKIE not in answer.headers.get("set-cookie", "")


def test_a_password_is_proven_for_unknown_names_too(closed):
    """So that the time taken does not tell who has an account."""
    asked = []

    class Watching(QuickPasswords):
        def matches(self, password: str, kept_hash: str | None) -> bool:
            asked.append(kept_hash)
            return super().matches(password, kept_hash)

    accounts = closed.container.accounts()
    assert SignIn(accounts, Watching())("nobody", "x") is None
    assert SignIn(accounts, Watching())("no such name!", "x") is None
    assert asked == [None, None]


def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(closed):
    cookie = closed.sign_in().headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
    assert "Secure" not in cookie.split("; ")


def test_behind_a_proxy_that_ends_tls_the_cookie_travels_encrypted_only(tmp_path):
    settings = Settings(database_url="x", data=tmp_path, behind_proxy=True, allowed_hosts=("testserver.local",))
    for site in site_of(settings):
        assert "; Secure" in site.sign_in(**{"x-forwarded-proto": "https"}).headers["set-cookie"]
        assert "; Secure" in site.sign_in().headers["set-cookie"]
        assert "; Secure" not in site.sign_in(**{"x-forwarded-proto": "http"}).headers["set-cookie"]


def test_signing_in_again_makes_a_new_session_and_ends_the_old_one(closed):
    closed.sign_in()
    first = closed.client.cookies[COOKIE]
    closed.sign_in()
    second = closed.client.cookies[COOKIE]
    assert first != second
    closed.page("/")
    closed.client.cookies.set(COOKIE, first)
    assert closed.get("/").status_code == 303


def test_a_session_that_somebody_planted_is_not_taken_over(closed):
    """Session fixation: the session after signing in is never one that was known before."""
    planted = "tp_ses_0123456789abcdef_" + "A" * 43
    closed.client.cookies.set(COOKIE, planted)
    minted = closed.sign_in().headers["set-cookie"].partition("=")[2].partition(";")[0]
    assert minted.startswith("tp_ses_")
    assert minted != planted


def test_a_session_ends_after_twelve_hours(closed):
    sign_in = SignIn(closed.container.accounts(), closed.container.passwords(), clock=lambda: Micros(0))
    long_ago = sign_in("ada", PASSWORD)
    assert long_ago is not None
    assert SESSION_MICROS == 12 * 3600 * 10**6
    closed.client.cookies.set(COOKIE, long_ago.text)
    assert closed.get("/").status_code == 303


def test_a_person_has_a_bounded_number_of_sessions_and_the_oldest_end(closed):
    accounts, ticks = closed.container.accounts(), itertools.count(1)

    sign_in = SignIn(accounts, QuickPasswords(), clock=lambda: Micros(next(ticks)))
    minted = [sign_in("ada", PASSWORD) for _ in range(SESSIONS_A_PERSON + 3)]
    kept = {one.id for one in accounts.secrets_of("ada", "session")}
    assert kept == {one.id for one in minted[3:] if one is not None}


def test_signing_out_needs_the_page_that_one_is_on_and_ends_the_session(site):
    session = site.client.cookies[COOKIE]
    assert site.client.post("/logout", data={"csrf": "guessed"}, follow_redirects=False).status_code == 403
    csrf = site.page("/").partition('name="csrf" value="')[2].partition('"')[0]
    answer = site.client.post("/logout", data={"csrf": csrf}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    site.client.cookies.set(COOKIE, session)
    assert site.get("/").status_code == 303


def test_tokens_of_jobs_and_programs_open_no_page(site):
    job = site.open_attempt()
    personal = site.container.create_personal_token()("ada").text
    site.client.cookies.clear()
    for token in (job.token, personal):
        assert site.get("/", authorization=f"Bearer {token}").status_code == 401
        assert site.get("/", **{"x-tuneplane-token": token}).status_code == 401
        site.client.cookies.set(COOKIE, token)
        assert site.get("/").status_code == 303


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
    ],
)
def test_a_form_on_another_site_signs_nobody_in(closed, headers):
    answer = closed.sign_in(**headers)
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "headers", [{"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "none"}, {"origin": "http://testserver.local"}]
)
def test_the_form_of_this_server_signs_in(closed, headers):
    assert closed.sign_in(**headers).status_code == 303


def test_a_part_of_a_page_that_needs_a_session_makes_htmx_leave_the_page(closed):
    answer = closed.get("/runs/r/head", **{"hx-request": "true", "hx-current-url": "http://testserver.local/runs/r"})
    assert (answer.status_code, answer.headers["hx-redirect"]) == (401, "/login?next=%2Fruns%2Fr")


def test_after_five_failures_a_name_has_to_wait_even_with_the_right_password(closed):
    for _ in range(FAILURES_A_NAME):
        assert closed.sign_in("ada", "wrong").status_code == 401
    answer = closed.sign_in()
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) > 0
    assert "wait" in answer.text
    assert closed.sign_in("grace", "wrong").status_code == 401


def test_behind_a_proxy_failures_count_against_the_address_that_the_proxy_saw(tmp_path):
    settings = Settings(database_url="x", data=tmp_path, behind_proxy=True, allowed_hosts=("testserver.local",))
    for site in site_of(settings):
        for number in range(FAILURES_A_NAME):
            site.sign_in("ada", "wrong", **{"x-forwarded-for": f"10.9.9.{number}, 10.0.0.1"})
        assert site.sign_in(**{"x-forwarded-for": "10.0.0.1"}).status_code == 429
        assert site.sign_in(**{"x-forwarded-for": "10.0.0.1, 10.0.0.2"}).status_code == 303


def test_without_a_proxy_nobody_chooses_the_address_that_failures_count_against(closed):
    for number in range(FAILURES_A_NAME):
        closed.sign_in("ada", "wrong", **{"x-forwarded-for": f"10.9.9.{number}"})
    assert closed.sign_in(**{"x-forwarded-for": "10.9.9.200"}).status_code == 429


def tries(throttle: SignInThrottle, name: str, address: str) -> bool:
    try:
        with throttle.trying(name, address):
            return True
    except TooManyRequests:
        return False


def test_failures_are_forgotten_after_a_while_and_by_signing_in():
    now = [0.0]
    throttle = SignInThrottle(clock=lambda: now[0])
    for _ in range(FAILURES_A_NAME):
        throttle.failed("ada", "here")
    assert not tries(throttle, "ada", "here")
    assert tries(throttle, "ada", "elsewhere")
    now[0] = WINDOW_SECONDS - 0.1
    assert not tries(throttle, "ada", "here")
    now[0] = WINDOW_SECONDS
    assert tries(throttle, "ada", "here")
    throttle.failed("ada", "here")
    throttle.succeeded("ada", "here")
    for _ in range(FAILURES_A_NAME - 1):
        throttle.failed("ada", "here")
    assert tries(throttle, "ada", "here")


def test_one_address_may_not_try_many_names():
    throttle = SignInThrottle()
    for number in range(FAILURES_AN_ADDRESS - 1):
        throttle.failed(f"name-{number}", "here")
    assert tries(throttle, "another", "here")
    throttle.failed("the last", "here")
    assert not tries(throttle, "another", "here")


def test_tries_that_are_under_way_count_as_failed():
    throttle = SignInThrottle()
    for _ in range(FAILURES_A_NAME - 2):
        throttle.failed("ada", "here")
    with throttle.trying("ada", "here"):
        assert tries(throttle, "ada", "here")
        with throttle.trying("ada", "here"):
            assert not tries(throttle, "ada", "here")
            assert tries(throttle, "grace", "here")
    assert tries(throttle, "ada", "here")
    assert throttle._trying == {}


@pytest.mark.parametrize(
    ("address", "where"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("", ""),
        ("a proxy's word", "a proxy's word"),
    ],
)
def test_whoever_has_an_ipv6_network_has_one_address(address, where):
    assert network(address) == where
    throttle = SignInThrottle()
    for _ in range(FAILURES_A_NAME):
        throttle.failed("ada", where.partition("/")[0])
    assert not tries(throttle, "ada", address)


def test_what_the_throttle_remembers_is_bounded():
    throttle = SignInThrottle()
    for number in range(12_000):
        throttle.failed("ada", f"address-{number}")
    assert len(throttle._failures) == 10_000


def test_a_form_that_is_too_large_or_odd_is_refused(closed):
    huge = closed.client.post(
        "/login", content=b"name=" + b"x" * 20_000, headers={"content-type": "application/x-www-form-urlencoded"}
    )
    assert huge.status_code == 413
    twice = closed.client.post(
        "/login", content=b"name=a&name=b", headers={"content-type": "application/x-www-form-urlencoded"}
    )
    assert twice.status_code == 422
    assert "text/html" in twice.headers["content-type"]
