"""Signing in and out."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec
from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import SkipValidation, URLEncodedBody

from application.commands.sign_in import SESSION_MICROS, SignIn
from application.commands.sign_out import SignOut
from domain.errors import NotAllowed
from entrypoints.http.console.console import FORM_BYTES, AsSignedIn, require_csrf
from entrypoints.http.console.contexts.page import SignInPage
from entrypoints.http.console.local_path import local_path
from entrypoints.http.console.rendering import rendered
from entrypoints.http.console.throttle import SignInThrottle
from entrypoints.http.errors import TooManyRequests
from entrypoints.http.signed_in import COOKIE, Doorkeeper
from entrypoints.settings import Settings

_WRONG = "This name and this password do not belong together."
AnyRequest = Request[Any, Any, Any]
Text = Annotated[str, msgspec.Meta(max_length=1_024)]


class Credentials(msgspec.Struct, frozen=True):
    """The form."""

    name: Text = ""
    password: Text = ""
    next: Annotated[str, msgspec.Meta(max_length=4_096)] = ""


class SignOutForm(msgspec.Struct, frozen=True):
    csrf: str = ""


class Door:
    """Opens and ends sessions."""

    def __init__(self, settings: Settings, doorkeeper: Doorkeeper, sign_in: SignIn, sign_out: SignOut) -> None:
        self._settings = settings
        self.doorkeeper = doorkeeper
        self.sign_in = sign_in
        self.sign_out = sign_out
        self.throttle = SignInThrottle()

    def address(self, request: AnyRequest) -> str:
        """Whom to hold failures against: behind a proxy, the last address that the proxy itself added."""
        forwarded = request.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
        if self._settings.behind_proxy and forwarded:
            return forwarded[:64]
        return request.client.host if request.client else ""

    def cookie(self, request: AnyRequest, value: str, seconds: int) -> str:
        """The Set-Cookie header of a session; 0 seconds ends it."""
        encrypted = request.headers.get("x-forwarded-proto", "https") == "https"
        secure = self._settings.tls_cert is not None or (self._settings.behind_proxy and encrypted)
        flags = "; HttpOnly; SameSite=Lax" + ("; Secure" if secure else "")
        return f"{COOKIE}={value}; Path=/; Max-Age={seconds}{flags}"


Using = NamedDependency[SkipValidation[Door]]


@get("/login", include_in_schema=False, sync_to_thread=True)
def ask(request: AnyRequest, door: Using) -> Response[bytes]:
    """The form; who is signed in already goes on."""
    goal = local_path(request.query_params.get("next", ""))
    if door.doorkeeper.session(request.cookies.get(COOKIE, "")) is not None:
        return _go(goal)
    return _form(goal)


@post("/login", include_in_schema=False, sync_to_thread=True, request_max_body_size=FORM_BYTES)
def sign_in(request: AnyRequest, data: URLEncodedBody[Credentials], door: Using) -> Response[bytes]:
    """A fresh session in a cookie that scripts cannot read, or the form again."""
    _require_own_form(request)
    goal, address = local_path(data.next), door.address(request)
    try:
        with door.throttle.trying(data.name, address):
            minted = door.sign_in(data.name, data.password, earlier=request.cookies.get(COOKIE, ""))
            door.throttle.note(data.name, address, good=minted is not None)
    except TooManyRequests as wait:
        return _form(goal, data.name, wait.detail, status=429, retry_after="300")
    if minted is None:
        return _form(goal, data.name, _WRONG, status=401)
    return _go(goal, door.cookie(request, minted.text, SESSION_MICROS // 1_000_000))


@post("/logout", include_in_schema=False, sync_to_thread=True, request_max_body_size=FORM_BYTES)
def sign_out(request: AsSignedIn, data: URLEncodedBody[SignOutForm], door: Using) -> Response[bytes]:
    """Ends the session, here and in the browser."""
    require_csrf(request, data.csrf)
    door.sign_out(request.user.secret_id)
    return signed_out(door, request)


def signed_out(door: Door, request: AnyRequest) -> Response[bytes]:
    """To the sign-in page, the browser's cookie ended."""
    return _go("/login", door.cookie(request, "", 0))


def _require_own_form(request: AnyRequest) -> None:
    """A form on another site signs nobody in here: it would be into somebody else's account."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        own = site in {"same-origin", "none"}
    else:
        origin = request.headers.get("origin")
        own = origin is None or urlsplit(origin).netloc == request.headers.get("host")
    if not own:
        raise NotAllowed("Sign in on this server's own page.")


def _form(
    goal: str, name: str = "", problem: str = "", *, status: int = 200, retry_after: str | None = None
) -> Response[bytes]:
    headers = {"Retry-After": retry_after} if retry_after else {}
    page = SignInPage(title="Sign in", next=goal, name=name, problem=problem)
    return rendered(page, status=status, headers=headers)


def _go(path: str, cookie: str | None = None) -> Response[bytes]:
    headers = {"Location": path, "Cache-Control": "no-store"}
    return Response(b"", status_code=303, headers=headers | ({"Set-Cookie": cookie} if cookie else {}))


OPEN_ROUTES = (ask, sign_in)
ROUTES = (sign_out,)
