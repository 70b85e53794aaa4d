"""`/account`: own password, sessions and personal tokens."""

from __future__ import annotations

from typing import Annotated, get_args

import msgspec
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromQuery, SkipValidation, URLEncodedBody

from application.clock import now
from application.commands.create_personal_token import LONGEST_DAYS, CreatePersonalToken
from application.commands.manage_accounts import ManageAccounts
from application.commands.sign_in import SESSION_MICROS
from application.ports.accounts import Accounts, Permission
from application.queries.moment import moment, moment_or_none
from domain.errors import Refused
from entrypoints.http.console.console import FORM_BYTES, AsSignedIn, go, require_csrf, user_of
from entrypoints.http.console.contexts.account import AccountPage, OpenSession, PersonalToken
from entrypoints.http.console.pages.sign_in import Using as UsingDoor
from entrypoints.http.console.pages.sign_in import signed_out
from entrypoints.http.console.rendering import rendered
from entrypoints.http.console.whole_number import whole_number
from entrypoints.http.errors import TooManyRequests, status_of

_SAID = {
    "password": "Your password was changed; every other session of yours has ended.",
    "session": "The session has ended.",
    "token": "The token was taken back.",
}
_WRONG = "This is not your password; nothing was changed."
_DIFFERENT = "The new password was typed in two different ways; nothing was changed."
Text = Annotated[str, msgspec.Meta(max_length=1_024)]
UsingAccounts = NamedDependency[SkipValidation[Accounts]]


class Form(msgspec.Struct, frozen=True):
    csrf: str = ""


class Passwords(Form, frozen=True):
    old: Text = ""
    new: Text = ""
    again: Text = ""


class Ending(Form, frozen=True):
    id: Text = ""
    """Of a session or a token: the public half."""


class NewToken(Form, frozen=True):
    name: Text = ""
    days: Text = ""
    """Empty: until it is taken back."""


@get("/account", include_in_schema=False, sync_to_thread=True)
def account(request: AsSignedIn, accounts: UsingAccounts, said: FromQuery[str] = "") -> Response[bytes]:
    """Who is signed in, and what opens their account."""
    return _page(request, accounts, said=_SAID.get(said, ""))


@post("/account/password", include_in_schema=False, sync_to_thread=True, request_max_body_size=FORM_BYTES)
def change_password(
    request: AsSignedIn,
    data: URLEncodedBody[Passwords],
    accounts: UsingAccounts,
    manage_accounts: NamedDependency[ManageAccounts],
    door: UsingDoor,
) -> Response[bytes]:
    """By the old one, which may be guessed no oftener than at signing in. A fresh session follows."""
    require_csrf(request, data.csrf)
    name, address = request.user.account.name, door.address(request)
    if data.new != data.again:
        return _page(request, accounts, problem=_DIFFERENT, status=422)
    try:
        with door.throttle.trying(name, address):
            changed = manage_accounts.change_own_password(name, old=data.old, new=data.new)
            door.throttle.note(name, address, good=changed)
    except (Refused, TooManyRequests) as refusal:
        return _page(request, accounts, problem=refusal.detail, status=status_of(refusal))
    if not changed:
        return _page(request, accounts, problem=_WRONG, status=422)
    minted = door.sign_in(name, data.new)
    if minted is None:
        return signed_out(door, request)
    answer = go("/account?said=password")
    answer.headers["Set-Cookie"] = door.cookie(request, minted.text, SESSION_MICROS // 1_000_000)
    return answer


@post("/account/sessions/end", include_in_schema=False, sync_to_thread=True, request_max_body_size=FORM_BYTES)
def end_session(
    request: AsSignedIn, data: URLEncodedBody[Ending], manage_accounts: NamedDependency[ManageAccounts], door: UsingDoor
) -> Response[bytes]:
    """One of one's own."""
    require_csrf(request, data.csrf)
    manage_accounts.end_secret(request.user.account.name, "session", data.id)
    return signed_out(door, request) if data.id == request.user.secret_id else go("/account?said=session")


@post("/account/sessions/end-all", include_in_schema=False, sync_to_thread=True, request_max_body_size=FORM_BYTES)
def end_sessions(
    request: AsSignedIn, data: URLEncodedBody[Form], accounts: UsingAccounts, door: UsingDoor
) -> Response[bytes]:
    """Signs out everywhere, here too."""
    require_csrf(request, data.csrf)
    accounts.drop_secrets(request.user.account.name, "session")
    return signed_out(door, request)


@post("/account/tokens", include_in_schema=False, sync_to_thread=True, request_max_body_size=FORM_BYTES)
def make_token(
    request: AsSignedIn,
    data: URLEncodedBody[NewToken],
    accounts: UsingAccounts,
    create_personal_token: NamedDependency[CreatePersonalToken],
) -> Response[bytes]:
    """The answer shows the token, and nothing shows it again."""
    require_csrf(request, data.csrf)
    try:
        minted = create_personal_token(request.user.account.name, name=data.name.strip(), days=days_of(data.days))
    except Refused as refusal:
        return _page(request, accounts, problem=refusal.detail, status=422)
    return _page(request, accounts, new_token=minted.text)


@post("/account/tokens/end", include_in_schema=False, sync_to_thread=True, request_max_body_size=FORM_BYTES)
def end_token(
    request: AsSignedIn, data: URLEncodedBody[Ending], manage_accounts: NamedDependency[ManageAccounts]
) -> Response[bytes]:
    """One of one's own."""
    require_csrf(request, data.csrf)
    manage_accounts.end_secret(request.user.account.name, "personal", data.id)
    return go("/account?said=token")


def days_of(text: str) -> int | None:
    """None for no end. Raises `Refused` for what is no number."""
    what = "a whole number of days, at most 3,650, or empty for no end"
    return whole_number("days", text, what, most=LONGEST_DAYS)


def _page(
    request: AsSignedIn,
    accounts: Accounts,
    *,
    new_token: str | None = None,
    said: str = "",
    problem: str = "",
    status: int = 200,
) -> Response[bytes]:
    me, at = request.user.account, now()
    permissions: tuple[Permission, ...] = get_args(Permission)
    page = AccountPage(
        title="Account",
        user=user_of(request),
        permissions=[one for one in permissions if me.may(one)],
        sessions=[
            OpenSession(
                id=one.id,
                opened_at=moment(one.created_at),
                ends_at=moment(one.expires_at or one.created_at),
                this=one.id == request.user.secret_id,
            )
            for one in accounts.secrets_of(me.name, "session")
            if not one.is_over(at)
        ],
        tokens=[
            PersonalToken(
                id=one.id,
                name=one.name,
                made_at=moment(one.created_at),
                expires_at=moment_or_none(one.expires_at),
                expired=one.is_over(at),
            )
            for one in accounts.secrets_of(me.name, "personal")
        ],
        new_token=new_token,
        said=said,
        problem=problem,
    )
    return rendered(page, status=status)


ROUTES = (account, change_password, end_session, end_sessions, make_token, end_token)
