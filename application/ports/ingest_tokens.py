"""Tokens that jobs report with: for one run and one attempt, with an expiry, revocable, kept as hashes."""

from __future__ import annotations

from typing import Protocol

import msgspec

from domain.ids import Attempt, Micros, RunId


class IngestToken(msgspec.Struct, frozen=True, kw_only=True):
    token_id: str
    secret_hash: bytes
    """SHA-256 of the secret; the secret has 256 random bits, so no salt or stretching is needed."""
    run: RunId
    attempt: Attempt
    scope: str
    """`ingest`: everything under /api/ingest."""
    expires_at: Micros
    revoked: bool = False


class IngestTokens(Protocol):
    """Looked up by their public half."""

    def add(self, token: IngestToken) -> None:
        """Keeps a new token."""
        ...

    def find(self, token_id: str) -> IngestToken | None:
        """The token, revoked and expired ones included; None where there never was one."""
        ...

    def revoke(self, run: RunId) -> list[str]:
        """Revokes all tokens of the run; the ids of those that were good before."""
        ...
