"""Pages open with a session alone; without one, to the sign-in page. Whatever comes with a token is refused."""

from __future__ import annotations

from typing import Any

import anyio.to_thread
from litestar import Request, Response
from litestar.middleware import AbstractAuthenticationMiddleware, AuthenticationResult
from litestar.types import ASGIApp

from domain.errors import TokenUnknown
from entrypoints.http.console.console import here
from entrypoints.http.console.local_path import local_path, sign_in_address
from entrypoints.http.signed_in import COOKIE, Connection, Doorkeeper


class NotSignedIn(Exception):
    """A page was asked for without a session that is good."""


class PageAuthentication(AbstractAuthenticationMiddleware):
    """`SignedIn` as `request.user`, or `NotSignedIn`."""

    def __init__(self, app: ASGIApp, doorkeeper: Doorkeeper) -> None:
        super().__init__(app)
        self._doorkeeper = doorkeeper

    async def authenticate_request(self, connection: Connection) -> AuthenticationResult:
        """By the session cookie. Raises `TokenUnknown` for what comes with a token of a job or a program."""
        if "authorization" in connection.headers or "x-tuneplane-token" in connection.headers:
            raise TokenUnknown("Pages open with a session; tokens are for /api.")
        found = await anyio.to_thread.run_sync(self._doorkeeper.session, connection.cookies.get(COOKIE, ""))
        if found is None:
            raise NotSignedIn
        return AuthenticationResult(user=found, auth=None)


def to_sign_in(request: Request[Any, Any, Any], _: NotSignedIn) -> Response[bytes]:
    """A redirection; for a part of a page, an instruction to htmx to leave the page that it is on."""
    if "hx-request" in request.headers:
        came_from = request.headers.get("hx-current-url", "")
        path = came_from.partition("://")[2].partition("/")[2]
        return Response(b"", status_code=401, headers={"HX-Redirect": sign_in_address(local_path(f"/{path}"))})
    back = here(request) if request.method == "GET" else "/"
    return Response(b"", status_code=303, headers={"Location": sign_in_address(back), "Cache-Control": "no-store"})
