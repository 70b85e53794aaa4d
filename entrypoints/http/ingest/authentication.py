"""Ingest tokens, and nothing else, open /api/ingest: sessions and personal tokens never work here."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from litestar.connection import ASGIConnection
from litestar.middleware import AbstractAuthenticationMiddleware, AuthenticationResult
from litestar.types import ASGIApp

from application.clock import now
from application.credentials import presented
from application.ports.ingest_tokens import IngestToken, IngestTokens
from domain.errors import TokenRefused, TokenUnknown
from entrypoints.http.ingest.source import Source
from entrypoints.http.ingest.threads import in_thread

HEADER = "x-tuneplane-token"
KEPT_SECONDS = 1.0
"""How long a look-up is believed: a revocation shows everywhere within this."""
_KEPT_TOKENS = 4_096


Connection = ASGIConnection[Any, Any, Any, Any]


class KnownTokens:
    """Looks tokens up by their public half, and remembers them for a moment."""

    def __init__(self, tokens: IngestTokens, clock: Callable[[], float] = time.monotonic) -> None:
        self._tokens = tokens
        self._clock = clock
        self._found: dict[str, tuple[IngestToken, float]] = {}

    async def find(self, token_id: str) -> IngestToken | None:
        """The token, at most `KEPT_SECONDS` old."""
        kept = self._found.get(token_id)
        if kept is not None and self._clock() - kept[1] < KEPT_SECONDS:
            return kept[0]
        found = await in_thread(lambda: self._tokens.find(token_id))
        if found is None:
            self._found.pop(token_id, None)
            return None
        if len(self._found) >= _KEPT_TOKENS:
            self._found.clear()
        self._found[token_id] = (found, self._clock())
        return found

    async def source(self, text: str) -> Source:
        """Whom the token speaks for. Raises `TokenUnknown` (401) or `TokenRefused` (403)."""
        shown = presented(text, "ing")
        if shown is None:
            raise TokenUnknown("An ingest token of a run is needed here (tp_ing_…).")
        token = await self.find(shown.id)
        if token is None or not shown.proves(token.secret_hash):
            raise TokenUnknown("This ingest token is not known.")
        if token.revoked:
            raise TokenRefused("This ingest token was revoked.")
        if token.expires_at <= now():
            raise TokenRefused("This ingest token has expired.")
        if token.scope != "ingest":
            raise TokenRefused("This token is not for ingest.")
        return Source(token.run, token.attempt)


class IngestAuthentication(AbstractAuthenticationMiddleware):
    """Takes the token from `X-TunePlane-Token` or `Authorization: Bearer`."""

    def __init__(self, app: ASGIApp, known: KnownTokens) -> None:
        super().__init__(app)
        self._known = known

    async def authenticate_request(self, connection: Connection) -> AuthenticationResult:
        """The source as `request.user`."""
        return AuthenticationResult(user=await self._known.source(_token(connection)), auth="ingest")


def _token(connection: Connection) -> str:
    given = connection.headers.get(HEADER)
    if given is not None:
        return given.strip()
    scheme, _, value = connection.headers.get("authorization", "").partition(" ")
    return value.strip() if scheme.lower() == "bearer" else ""
