"""Ingest tokens in PostgreSQL."""

from __future__ import annotations

import psycopg

from adapters.postgres.database import Database, storable
from application.ports.ingest_tokens import IngestToken
from domain.errors import IdentityTaken
from domain.ids import Attempt, Micros, RunId

_ADD = """
    INSERT INTO ingest_token (token_id, secret_hash, run, attempt, scope, expires_at, revoked)
    VALUES (%s, %s, %s, %s, %s, %s, %s)"""
_FIND = "SELECT secret_hash, run, attempt, scope, expires_at, revoked FROM ingest_token WHERE token_id = %s"
_REVOKE = "UPDATE ingest_token SET revoked = true WHERE run = %s AND NOT revoked RETURNING token_id"


class PostgresIngestTokens:
    """See `application/ports/ingest_tokens.py`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, token: IngestToken) -> None:
        row = (
            token.token_id,
            token.secret_hash,
            token.run,
            token.attempt,
            token.scope,
            token.expires_at,
            token.revoked,
        )
        with self._database.connection() as connection:
            try:
                connection.execute(_ADD, row)
            except psycopg.errors.UniqueViolation:
                raise IdentityTaken("There already is a token of this id.") from None

    def find(self, token_id: str) -> IngestToken | None:
        if not storable(token_id):
            return None
        with self._database.connection() as connection, connection.cursor(binary=True) as cursor:
            row = cursor.execute(_FIND, (token_id,)).fetchone()
        if row is None:
            return None
        secret_hash, run, attempt, scope, expires_at, revoked = row
        return IngestToken(
            token_id=token_id,
            secret_hash=secret_hash,
            run=RunId(run),
            attempt=Attempt(attempt),
            scope=scope,
            expires_at=Micros(expires_at),
            revoked=revoked,
        )

    def revoke(self, run: RunId) -> list[str]:
        if not storable(run):
            return []
        with self._database.connection() as connection:
            return sorted(token_id for (token_id,) in connection.execute(_REVOKE, (run,)).fetchall())
