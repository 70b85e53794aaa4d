"""`/people`: accounts, for administrators. Names travel in forms, never in addresses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Annotated

import msgspec
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromQuery, SkipValidation, URLEncodedBody

from application.clock import now
from application.commands.manage_accounts import ManageAccounts
from application.ports.accounts import Accounts, Permission, Role, SecretKind
from application.queries.moment import moment_or_none
from domain.errors import IdentityTaken, Refused
from entrypoints.http.console.console import FORM_BYTES, AsSignedIn, go, require_csrf, user_of
from entrypoints.http.console.contexts.people import NewPassword, PeoplePage, Person
from entrypoints.http.console.rendering import rendered
from entrypoints.http.errors import status_of

ROLES: tuple[Role, ...] = ("viewer", "member", "admin")
_SAID = {
    "rights": "The rights were changed; they hold from the next request on.",
    "ended": "Sessions and personal tokens of this account have ended.",
    "disabled": "The account was disabled; its sessions and personal tokens have ended.",
    "enabled": "The account was enabled again.",
}
Text = Annotated[str, msgspec.Meta(max_length=1_024)]
UsingAccounts = NamedDependency[SkipValidation[Accounts]]
Managing = NamedDependency[ManageAccounts]


class Named(msgspec.Struct, frozen=True):
    csrf: str = ""
    name: Text = ""


class NewAccount(Named, frozen=True):
    role: Role = "member"


class Rights(Named, frozen=True):
    role: Role = "viewer"
    content: str = ""
    """Anything: granted; as the next."""
    audit: str = ""


@get("/people", include_in_schema=False, sync_to_thread=True)
def people(request: AsSignedIn, accounts: UsingAccounts, said: FromQuery[str] = "") -> Response[bytes]:
    """Everybody who has an account."""
    request.user.require_admin()
    return _page(request, accounts, said=_SAID.get(said, ""))


@post("/people", include_in_schema=False, sync_to_thread=True, request_max_body_size=FORM_BYTES)
def make_account(
    request: AsSignedIn, data: URLEncodedBody[NewAccount], accounts: UsingAccounts, manage_accounts: Managing
) -> Response[bytes]:
    """The answer shows the password, and nothing shows it again."""
    _require(request, data)
    try:
        password = manage_accounts.create(data.name.strip(), role=data.role)
    except (Refused, IdentityTaken) as refusal:
        return _page(request, accounts, problem=refusal.detail, status=status_of(refusal))
    return _page(request, accounts, new_password=NewPassword(name=data.name.strip(), password=password))


@post("/people/rights", include_in_schema=False, sync_to_thread=True, request_max_body_size=FORM_BYTES)
def change_rights(
    request: AsSignedIn, data: URLEncodedBody[Rights], accounts: UsingAccounts, manage_accounts: Managing
) -> Response[bytes]:
    """Role and permissions, as the form has them."""
    _require(request, data)
    given: dict[Permission, str] = {"content": data.content, "audit": data.audit}
    permissions = [permission for permission, granted in given.items() if granted]
    return _done(
        request, accounts, "rights", lambda: manage_accounts.grant(data.name, role=data.role, permissions=permissions)
    )


@post("/people/password", include_in_schema=False, sync_to_thread=True, request_max_body_size=FORM_BYTES)
def reset_password(
    request: AsSignedIn, data: URLEncodedBody[Named], accounts: UsingAccounts, manage_accounts: Managing
) -> Response[bytes]:
    """As for a new account; sessions end, personal tokens stay."""
    _require(request, data)
    password = manage_accounts.change_password(data.name)
    return _page(request, accounts, new_password=NewPassword(name=data.name, password=password))


@post("/people/end", include_in_schema=False, sync_to_thread=True, request_max_body_size=FORM_BYTES)
def end_everything(
    request: AsSignedIn, data: URLEncodedBody[Named], accounts: UsingAccounts, manage_accounts: Managing
) -> Response[bytes]:
    """Sessions and personal tokens."""
    _require(request, data)
    return _done(request, accounts, "ended", lambda: manage_accounts.end_everything(data.name))


@post("/people/disable", include_in_schema=False, sync_to_thread=True, request_max_body_size=FORM_BYTES)
def disable(
    request: AsSignedIn, data: URLEncodedBody[Named], accounts: UsingAccounts, manage_accounts: Managing
) -> Response[bytes]:
    """Nobody signs in with it; the name stays taken, since jobs are kept under it."""
    _require(request, data)
    return _done(request, accounts, "disabled", lambda: manage_accounts.disable(data.name))


@post("/people/enable", include_in_schema=False, sync_to_thread=True, request_max_body_size=FORM_BYTES)
def enable(
    request: AsSignedIn, data: URLEncodedBody[Named], accounts: UsingAccounts, manage_accounts: Managing
) -> Response[bytes]:
    """With the password and rights that it had."""
    _require(request, data)
    return _done(request, accounts, "enabled", lambda: manage_accounts.enable(data.name))


def _require(request: AsSignedIn, data: Named) -> None:
    require_csrf(request, data.csrf)
    request.user.require_admin()


def _done(request: AsSignedIn, accounts: Accounts, said: str, act: Callable[[], object]) -> Response[bytes]:
    try:
        act()
    except Refused as refusal:
        return _page(request, accounts, problem=refusal.detail, status=422)
    return go(f"/people?said={said}")


def _page(
    request: AsSignedIn,
    accounts: Accounts,
    *,
    new_password: NewPassword | None = None,
    said: str = "",
    problem: str = "",
    status: int = 200,
) -> Response[bytes]:
    sessions, tokens = _held(accounts, "session"), _held(accounts, "personal")
    page = PeoplePage(
        title="People",
        user=user_of(request),
        people=[
            Person(
                name=one.name,
                role=one.role,
                content="content" in one.permissions,
                audit="audit" in one.permissions,
                disabled=one.disabled,
                signed_in_at=moment_or_none(one.signed_in_at),
                sessions=sessions[one.name],
                tokens=tokens[one.name],
            )
            for one in accounts.everyone()
        ],
        roles=ROLES,
        new_password=new_password,
        said=said,
        problem=problem,
    )
    return rendered(page, status=status)


def _held(accounts: Accounts, kind: SecretKind) -> Counter[str]:
    """How many good ones everybody has."""
    moment = now()
    return Counter(one.subject for one in accounts.secrets(kind) if not one.is_over(moment))


ROUTES = (people, make_account, change_rights, reset_password, end_everything, disable, enable)
