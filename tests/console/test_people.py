"""`/people`: administrators, and nobody else, make accounts and change what they may."""

import re

import pytest

from application.ports.accounts import Account
from entrypoints.http.signed_in import COOKIE
from tests.console.alone import running
from tests.console.conftest import PASSWORD, Site
from tests.console.test_job_page import text_of

__all__ = ["running"]

PATHS = ["", "/rights", "/password", "/end", "/disable", "/enable"]


@pytest.fixture
def admin(closed: Site) -> Site:
    """Root is signed in; ada, a member, is not."""
    closed.container.manage_accounts().create("root", role="admin", password=PASSWORD)
    assert closed.sign_in("root").status_code == 303
    return closed


def csrf_of(site: Site, page: str = "/people") -> str:
    return site.page(page).partition('name="csrf" value="')[2].partition('"')[0]


def post(site: Site, path: str, **fields: str):
    return site.client.post(f"/people{path}", data={"csrf": csrf_of(site), **fields}, follow_redirects=False)


def account(site: Site, name: str = "ada") -> Account:
    found = site.container.accounts().find(name)
    assert found is not None
    return found


def row(site: Site, name: str) -> str:
    """The text of one person's row."""
    [found] = [
        text_of(one) for one in re.findall(r"<tr.*?</tr>", site.page("/people"), re.DOTALL) if f">{name}</a>" in one
    ]
    return found


def rights(site) -> tuple[str, set[str]]:
    """Of ada."""
    return account(site).role, set(account(site).permissions)


def test_everybody_is_listed_with_what_opens_their_account(admin):
    for _ in range(2):
        admin.container.sign_in()("ada", PASSWORD)
    admin.container.create_personal_token()("ada")
    assert re.search(r"ada .* 2 1 Save rights", row(admin, "ada"))
    assert "unknown" not in row(admin, "ada")
    assert re.search(r"root you .* 1 0 Save rights", row(admin, "root"))


def test_a_sign_in_that_was_never_noted_is_unknown(admin):
    assert "unknown" in row(admin, "ada")


def test_an_account_is_made_and_its_password_shown_once(admin):
    answer = post(admin, "", name="grace", role="viewer")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    [password] = re.findall(r"<p><code>([\w-]{24})</code></p>", answer.text)
    assert account(admin, "grace").role == "viewer"
    assert password not in admin.page("/people")
    admin.client.cookies.clear()
    assert admin.sign_in("grace", password).status_code == 303


@pytest.mark.parametrize(("name", "status"), [("ada", 409), ("", 422), ("a b", 422), ("é", 422), ("<b>", 422)])
def test_an_account_that_cannot_be_is_not_made(admin, name, status):
    answer = post(admin, "", name=name, role="admin")
    assert answer.status_code == status
    assert "alert" in answer.text
    assert account(admin).role == "member"
    assert [one.name for one in admin.container.accounts().everyone()] == ["ada", "root"]


def test_a_name_that_would_be_a_path_is_an_ordinary_name(admin):
    post(admin, "", name="..", role="member")
    assert post(admin, "/disable", name="..").status_code == 303
    assert account(admin, "..").disabled


def test_role_and_permissions_are_what_the_form_says(admin):
    assert post(admin, "/rights", name="ada", role="viewer", content="on").headers["location"] == "/people?said=rights"
    assert rights(admin) == ("viewer", {"content"})
    post(admin, "/rights", name="ada", role="admin", audit="on")
    assert rights(admin) == ("admin", {"audit"})
    post(admin, "/rights", name="ada", role="member")
    assert rights(admin) == ("member", set())
    assert account(admin).password_hash == PASSWORD
    assert post(admin, "/rights", name="ada", role="emperor").status_code == 422


def test_the_last_administrator_keeps_the_role_and_the_account(admin):
    for path, fields in (("/rights", {"role": "member"}), ("/disable", {})):
        answer = post(admin, path, name="root", **fields)
        assert answer.status_code == 422
        assert "last administrator" in text_of(answer.text)
    assert (account(admin, "root").role, account(admin, "root").disabled) == ("admin", False)
    post(admin, "/rights", name="ada", role="admin")
    assert post(admin, "/rights", name="root", role="member").status_code == 303


def test_a_password_is_reset_shown_once_and_ends_sessions(admin):
    admin.container.sign_in()("ada", PASSWORD)
    token = admin.container.create_personal_token()("ada")
    answer = post(admin, "/password", name="ada")
    [password] = re.findall(r"<p><code>([\w-]{24})</code></p>", answer.text)
    assert account(admin).password_hash == password
    assert password not in admin.page("/people")
    assert admin.container.accounts().secrets_of("ada", "session") == []
    assert admin.container.accounts().find_secret(token.id) is not None


def test_sessions_and_tokens_end_at_once(admin):
    admin.container.sign_in()("ada", PASSWORD)
    admin.container.create_personal_token()("ada")
    assert post(admin, "/end", name="ada").headers["location"] == "/people?said=ended"
    assert admin.container.accounts().secrets_of("ada", "session") == []
    assert admin.container.accounts().secrets_of("ada", "personal") == []
    assert not account(admin).disabled
    assert admin.container.accounts().secrets_of("root", "session") != []


def test_who_is_disabled_is_out_at_the_next_request_and_comes_back_when_enabled(admin):
    session = admin.container.sign_in()("ada", PASSWORD)
    token = admin.container.create_personal_token()("ada")
    root = admin.client.cookies[COOKIE]
    assert post(admin, "/disable", name="ada").headers["location"] == "/people?said=disabled"
    assert "disabled" in row(admin, "ada")
    admin.client.cookies.set(COOKIE, session.text)
    assert admin.get("/").status_code == 303
    assert admin.get("/api/runs", authorization=f"Bearer {token.text}").status_code == 401
    admin.client.cookies.clear()
    assert admin.sign_in().status_code == 401
    admin.client.cookies.set(COOKIE, root)
    assert post(admin, "/enable", name="ada").status_code == 303
    admin.client.cookies.clear()
    assert admin.sign_in().status_code == 303


def test_even_secrets_that_were_left_open_nothing_of_a_disabled_account(admin):
    """Should one be made while the account is disabled, or come back with a backup."""
    accounts = admin.container.accounts()
    session, token = admin.container.sign_in()("ada", PASSWORD), admin.container.create_personal_token()("ada")
    accounts.change("ada", lambda one, _: Account(name=one.name, role=one.role, disabled=True))
    admin.client.cookies.clear()
    assert admin.get("/api/runs", authorization=f"Bearer {token.text}").status_code == 401
    admin.client.cookies.set(COOKIE, session.text)
    assert admin.get("/").status_code == 303


def test_lower_rights_hold_from_the_next_request_on(admin):
    token = {"authorization": f"Bearer {admin.container.create_personal_token()('ada').text}"}
    post(admin, "/rights", name="ada", role="member", content="on", audit="on")
    assert admin.get("/api/events.ndjson", **token).status_code == 200
    post(admin, "/rights", name="ada", role="viewer")
    assert admin.get("/api/events.ndjson", **token).status_code == 403
    assert admin.client.post("/api/runs", headers=token, json={"name": "x"}).status_code == 403


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("role", ["member", "viewer"])
def test_nobody_but_administrators_sees_or_changes_people(site, path, role):
    site.container.manage_accounts().grant("ada", role=role, permissions=["content", "audit"])
    if not path:
        assert "ada" not in text_of(site.page("/people", status=403)).partition("Sign out")[2]
        assert 'href="/people"' not in site.page("/")
    fields = {"csrf": csrf_of(site, "/account"), "name": "ada", "role": "admin"}
    assert site.client.post(f"/people{path}", data=fields, follow_redirects=False).status_code == 403
    assert (account(site).role, account(site).password_hash) == (role, PASSWORD)


@pytest.mark.parametrize("path", PATHS)
def test_no_form_on_another_page_makes_or_changes_people(admin, path):
    for csrf in ("", "guessed"):
        fields = {"csrf": csrf, "name": "ada", "role": "admin"}
        assert admin.client.post(f"/people{path}", data=fields, follow_redirects=False).status_code == 403
    assert account(admin).role == "member"


@pytest.mark.parametrize("path", PATHS[1:])
def test_whom_nobody_knows_is_said_to_be_unknown(admin, path):
    answer = post(admin, path, name="nobody", role="member")
    assert answer.status_code == 404
    assert "no user" in text_of(answer.text)


def test_the_page_says_what_stays_open(admin):
    text = text_of(admin.page("/people"))
    assert "disabled, never removed: its jobs stay under its name" in text
    assert "Ingest tokens of running jobs and shares are the jobs' own" in text
