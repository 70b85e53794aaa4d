"""Ingest tokens in memory, for tests."""

from __future__ import annotations

import threading

import msgspec

from application.ports.ingest_tokens import IngestToken
from domain.errors import IdentityTaken
from domain.ids import RunId


class MemoryIngestTokens:
    """See `application/ports/ingest_tokens.py`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tokens: dict[str, IngestToken] = {}

    def add(self, token: IngestToken) -> None:
        with self._lock:
            if token.token_id in self._tokens:
                raise IdentityTaken("There already is a token of this id.")
            self._tokens[token.token_id] = token

    def find(self, token_id: str) -> IngestToken | None:
        with self._lock:
            return self._tokens.get(token_id)

    def revoke(self, run: RunId) -> list[str]:
        with self._lock:
            good = [token for token in self._tokens.values() if token.run == run and not token.revoked]
            for token in good:
                self._tokens[token.token_id] = msgspec.structs.replace(token, revoked=True)
        return sorted(token.token_id for token in good)
