"""Who is signed in: by a personal token (programs) or by a session cookie (people). Ingest tokens open nothing here."""

from __future__ import annotations

import hmac
from typing import Any, Literal

import anyio.to_thread
import msgspec
from litestar.connection import ASGIConnection
from litestar.middleware import AbstractAuthenticationMiddleware, AuthenticationResult
from litestar.types import ASGIApp

from application.clock import now
from application.credentials import Kind, presented
from application.ports.accounts import Account, Accounts, Permission
from domain.errors import NotAllowed, TokenUnknown

COOKIE = "tuneplane_session"
CSRF_HEADER = "x-csrf-token"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
Connection = ASGIConnection[Any, Any, Any, Any]


class SignedIn(msgspec.Struct, frozen=True, kw_only=True):
    """One person or program, proven."""

    account: Account
    secret_id: str
    kind: Literal["personal", "session"]
    csrf: str
    """What a session's writes must repeat; empty for programs."""

    def __repr__(self) -> str:
        return f"SignedIn(account={self.account!r}, kind={self.kind!r})"

    def require(self, permission: Permission) -> None:
        """Raises `NotAllowed` without the permission."""
        if not self.account.may(permission):
            raise NotAllowed(f"This needs the {permission!r} permission; an administrator can grant it.")

    def may_change(self, owner: str) -> bool:
        """Whether they may change what `owner` owns: administrators may, and who owns it unless a viewer."""
        return self.account.role == "admin" or (self.account.role == "member" and self.account.name == owner)

    def require_change(self, owner: str) -> None:
        """Raises `NotAllowed` for who may not change what `owner` owns."""
        if not self.may_change(owner):
            raise NotAllowed(f"Only its owner {owner!r} or an administrator may do that.")

    def require_member(self) -> None:
        """Raises `NotAllowed` for viewers."""
        if self.account.role == "viewer":
            raise NotAllowed("A viewer changes nothing.")

    def require_admin(self) -> None:
        """Raises `NotAllowed` for everybody but administrators."""
        if self.account.role != "admin":
            raise NotAllowed("Administrators alone may do that.")


class Doorkeeper:
    """Proves personal tokens and sessions."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    def personal(self, text: str) -> SignedIn | None:
        """Whose personal token it is; None where it is none that is good."""
        return self._proven(text, "pat", "personal")

    def session(self, text: str) -> SignedIn | None:
        """Whose session it is; None where it is none, has ended, or was ended."""
        return self._proven(text, "ses", "session")

    def _proven(self, text: str, kind: Kind, kept_as: Literal["personal", "session"]) -> SignedIn | None:
        shown = presented(text, kind)
        kept = None if shown is None else self._accounts.find_secret(shown.id)
        if shown is None or kept is None or kept.kind != kept_as or not shown.proves(kept.secret_hash):
            return None
        if kept.is_over(now()):
            return None
        account = self._accounts.find(kept.subject)
        if account is None or account.disabled:
            return None
        return SignedIn(account=account, secret_id=kept.id, kind=kept_as, csrf=kept.csrf)


class SignedInAuthentication(AbstractAuthenticationMiddleware):
    """`Authorization: Bearer tp_pat_…`, or the session cookie; a session's writes must carry its CSRF token.

    An Authorization header that is not good is refused even beside a good cookie.
    """

    def __init__(self, app: ASGIApp, doorkeeper: Doorkeeper) -> None:
        super().__init__(app)
        self._doorkeeper = doorkeeper

    async def authenticate_request(self, connection: Connection) -> AuthenticationResult:
        """`SignedIn` as `request.user`."""
        return AuthenticationResult(user=await signed_in(self._doorkeeper, connection), auth=None)


async def signed_in(doorkeeper: Doorkeeper, connection: Connection) -> SignedIn:
    """Raises `TokenUnknown` (401), or `NotAllowed` (403) for a write without the CSRF token."""
    header = connection.headers.get("authorization")
    if header is not None or "x-tuneplane-token" in connection.headers:
        scheme, _, value = (header or "").partition(" ")
        token = value.strip() if scheme.lower() == "bearer" else ""
        found = await anyio.to_thread.run_sync(doorkeeper.personal, token)
        if found is None:
            raise TokenUnknown("A personal token is needed here (tp_pat_…); this one is not known.")
        return found
    found = await anyio.to_thread.run_sync(doorkeeper.session, connection.cookies.get(COOKIE, ""))
    if found is None:
        raise TokenUnknown("Sign in, or send a personal token: Authorization: Bearer tp_pat_…")
    if connection.scope.get("method", "") not in _SAFE:
        require_csrf(found, connection.headers.get(CSRF_HEADER, ""))
    return found


def require_csrf(who: SignedIn, given: str) -> None:
    """Raises `NotAllowed` where a session's write does not repeat its token."""
    if who.kind == "session" and not hmac.compare_digest(who.csrf.encode(), given.encode()):
        raise NotAllowed("This page is out of date: load it again, then repeat what you did.")
