"""Accounts, the kept halves of people's secrets, and settings, in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg

from adapters.postgres.database import Database, storable
from application.ports.accounts import Account, Secret, SecretKind
from domain.errors import IdentityTaken

_HELD = "name, role, permissions, password_hash, disabled, signed_in_at"
_FIND = f"SELECT {_HELD} FROM account WHERE name = %s"  # noqa: S608 - made of constants
# In the order of the code points, as Python sorts.
_EVERYONE = f'SELECT {_HELD} FROM account ORDER BY name COLLATE "C"'  # noqa: S608 - made of constants
_ADD = f"INSERT INTO account ({_HELD}) VALUES (%s, %s, %s, %s, %s, %s)"  # noqa: S608 - made of constants
# Holds up whoever changes accounts, and nobody who reads them.
_ONE_AT_A_TIME = "LOCK TABLE account IN SHARE ROW EXCLUSIVE MODE"
_CHANGE = """
    UPDATE account SET role = %s, permissions = %s, password_hash = %s, disabled = %s, signed_in_at = %s
    WHERE name = %s"""
_KEPT = "id, secret_hash, subject, kind, created_at, expires_at, name, csrf, made_by"
_ADD_SECRET = f"INSERT INTO secret ({_KEPT}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)"  # noqa: S608 - made of constants
_FIND_SECRET = f"SELECT {_KEPT} FROM secret WHERE id = %s"  # noqa: S608 - made of constants
_SECRETS_OF = f"""SELECT {_KEPT} FROM secret
    WHERE subject = %s AND kind = %s ORDER BY created_at DESC, id"""  # noqa: S608 - made of constants
_SECRETS = f"SELECT {_KEPT} FROM secret WHERE kind = %s ORDER BY created_at DESC, id"  # noqa: S608 - made of constants
_TAKE_BACK = "DELETE FROM secret WHERE id = %s"
_TAKE_ALL_BACK = "DELETE FROM secret WHERE subject = %s AND kind = %s"
_KEEP_SETTING = "INSERT INTO setting (name, value) VALUES (%s, %s) ON CONFLICT DO NOTHING"
_SETTING = "SELECT value FROM setting WHERE name = %s"


class PostgresAccounts:
    """See `application/ports/accounts.py`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, name: str) -> Account | None:
        rows = self._ask(_FIND, name)
        return _account(rows[0]) if rows else None

    def everyone(self) -> list[Account]:
        return [_account(row) for row in self._ask(_EVERYONE)]

    def add(self, account: Account) -> None:
        with self._database.connection() as connection:
            try:
                connection.execute(_ADD, (account.name, *_fields(account)))
            except psycopg.errors.UniqueViolation:
                raise IdentityTaken("There already is an account of this name.") from None

    def change(self, name: str, decide: Callable[[Account, list[Account]], Account]) -> Account | None:
        with self._database.transaction() as connection:
            connection.execute(_ONE_AT_A_TIME)
            everyone = [_account(row) for row in connection.execute(_EVERYONE).fetchall()]
            found = next((one for one in everyone if one.name == name), None)
            if found is None:
                return None
            changed = decide(found, everyone)
            connection.execute(_CHANGE, (*_fields(changed), name))
            return changed

    def add_secret(self, secret: Secret) -> None:
        row = (secret.id, secret.secret_hash, secret.subject, secret.kind, secret.created_at, secret.expires_at)
        with self._database.connection() as connection:
            try:
                connection.execute(_ADD_SECRET, (*row, secret.name, secret.csrf, secret.made_by))
            except psycopg.errors.UniqueViolation:
                raise IdentityTaken("There already is a secret of this id.") from None

    def find_secret(self, secret_id: str) -> Secret | None:
        rows = self._ask(_FIND_SECRET, secret_id)
        return _secret(rows[0]) if rows else None

    def secrets_of(self, subject: str, kind: SecretKind) -> list[Secret]:
        return [_secret(row) for row in self._ask(_SECRETS_OF, subject, kind)]

    def secrets(self, kind: SecretKind) -> list[Secret]:
        return [_secret(row) for row in self._ask(_SECRETS, kind)]

    def drop_secret(self, secret_id: str) -> None:
        if storable(secret_id):
            with self._database.connection() as connection:
                connection.execute(_TAKE_BACK, (secret_id,))

    def drop_secrets(self, subject: str, kind: SecretKind) -> None:
        if storable(subject):
            with self._database.connection() as connection:
                connection.execute(_TAKE_ALL_BACK, (subject, kind))

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


def _account(row: tuple[Any, ...]) -> Account:
    name, role, permissions, password_hash, disabled, signed_in_at = row
    return Account(
        name=name,
        role=role,
        permissions=frozenset(permissions),
        password_hash=password_hash,
        disabled=disabled,
        signed_in_at=signed_in_at,
    )


def _fields(account: Account) -> tuple[object, ...]:
    """All but the name."""
    permissions = sorted(account.permissions)
    return account.role, permissions, account.password_hash, account.disabled, account.signed_in_at


def _secret(row: tuple[Any, ...]) -> Secret:
    secret_id, secret_hash, subject, kind, created_at, expires_at, name, csrf, made_by = row
    return Secret(
        id=secret_id,
        secret_hash=secret_hash,
        subject=subject,
        kind=kind,
        created_at=created_at,
        expires_at=expires_at,
        name=name,
        csrf=csrf,
        made_by=made_by,
    )
