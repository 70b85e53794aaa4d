"""Accounts, the kept halves of people's secrets, and settings, in PostgreSQL."""

from __future__ import annotations

from typing import Any, Literal

import psycopg

from adapters.postgres.database import Database, storable
from application.ports.accounts import Account, Secret
from domain.errors import IdentityTaken

_FIND = "SELECT role, permissions, password_hash FROM account WHERE name = %s"
_PUT = """
    INSERT INTO account (name, role, permissions, password_hash) VALUES (%s, %s, %s, %s)
    ON CONFLICT (name) DO UPDATE
    SET role = excluded.role, permissions = excluded.permissions, password_hash = excluded.password_hash"""
# In the order of the code points, as Python sorts.
_NAMES = 'SELECT name FROM account ORDER BY name COLLATE "C"'
_KEPT = "id, secret_hash, subject, kind, created_at, expires_at, name, csrf"
_ADD_SECRET = f"INSERT INTO secret ({_KEPT}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"  # noqa: S608 - made of constants
_FIND_SECRET = f"SELECT {_KEPT} FROM secret WHERE id = %s"  # noqa: S608 - made of constants
_SECRETS_OF = f"""SELECT {_KEPT} FROM secret
    WHERE subject = %s AND kind = %s ORDER BY created_at DESC, id"""  # noqa: S608 - made of constants
_TAKE_BACK = "DELETE FROM secret WHERE id = %s"
_KEEP_SETTING = "INSERT INTO setting (name, value) VALUES (%s, %s) ON CONFLICT DO NOTHING"
_SETTING = "SELECT value FROM setting WHERE name = %s"


class PostgresAccounts:
    """See `application/ports/accounts.py`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, name: str) -> Account | None:
        rows = self._ask(_FIND, name)
        if not rows:
            return None
        role, permissions, password_hash = rows[0]
        return Account(name=name, role=role, permissions=frozenset(permissions), password_hash=password_hash)

    def put(self, account: Account) -> None:
        row = (account.name, account.role, sorted(account.permissions), account.password_hash)
        with self._database.connection() as connection:
            connection.execute(_PUT, row)

    def names(self) -> list[str]:
        return [name for (name,) in self._ask(_NAMES)]

    def add_secret(self, secret: Secret) -> None:
        row = (secret.id, secret.secret_hash, secret.subject, secret.kind)
        with self._database.connection() as connection:
            try:
                connection.execute(_ADD_SECRET, (*row, secret.created_at, secret.expires_at, secret.name, secret.csrf))
            except psycopg.errors.UniqueViolation:
                raise IdentityTaken("There already is a secret of this id.") from None

    def find_secret(self, secret_id: str) -> Secret | None:
        rows = self._ask(_FIND_SECRET, secret_id)
        return _secret(rows[0]) if rows else None

    def secrets_of(self, subject: str, kind: Literal["personal", "session", "share"]) -> list[Secret]:
        return [_secret(row) for row in self._ask(_SECRETS_OF, subject, kind)]

    def drop_secret(self, secret_id: str) -> None:
        if storable(secret_id):
            with self._database.connection() as connection:
                connection.execute(_TAKE_BACK, (secret_id,))

    def setting(self, name: str, default: bytes) -> bytes:
        # Two statements: whoever comes second sees what the first one kept.
        with self._database.connection() as connection, connection.cursor(binary=True) as cursor:
            cursor.execute(_KEEP_SETTING, (name, default))
            (value,) = cursor.execute(_SETTING, (name,)).fetchone() or (default,)
        return bytes(value)

    def _ask(self, statement: str, *keys: str) -> list[tuple[Any, ...]]:
        """The rows; none for a key that no table can hold."""
        if not all(map(storable, keys)):
            return []
        with self._database.connection() as connection, connection.cursor(binary=True) as cursor:
            return cursor.execute(statement.encode(), keys).fetchall()


def _secret(row: tuple[Any, ...]) -> Secret:
    secret_id, secret_hash, subject, kind, created_at, expires_at, name, csrf = row
    return Secret(
        id=secret_id,
        secret_hash=secret_hash,
        subject=subject,
        kind=kind,
        created_at=created_at,
        expires_at=expires_at,
        name=name,
        csrf=csrf,
    )
