"""Accounts, the kept halves of people's secrets, and settings, in memory, for tests."""

from __future__ import annotations

import threading
from typing import Literal

from application.ports.accounts import Account, Secret
from domain.errors import IdentityTaken


class MemoryAccounts:
    """See `application/ports/accounts.py`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._accounts: dict[str, Account] = {}
        self._secrets: dict[str, Secret] = {}
        self._settings: dict[str, bytes] = {}

    def find(self, name: str) -> Account | None:
        with self._lock:
            return self._accounts.get(name)

    def put(self, account: Account) -> None:
        with self._lock:
            self._accounts[account.name] = account

    def names(self) -> list[str]:
        with self._lock:
            return sorted(self._accounts)

    def add_secret(self, secret: Secret) -> None:
        with self._lock:
            if secret.id in self._secrets:
                raise IdentityTaken("There already is a secret of this id.")
            self._secrets[secret.id] = secret

    def find_secret(self, secret_id: str) -> Secret | None:
        with self._lock:
            return self._secrets.get(secret_id)

    def secrets_of(self, subject: str, kind: Literal["personal", "session", "share"]) -> list[Secret]:
        with self._lock:
            found = [one for one in self._secrets.values() if (one.subject, one.kind) == (subject, kind)]
        return sorted(found, key=lambda one: (-one.created_at, one.id))

    def drop_secret(self, secret_id: str) -> None:
        with self._lock:
            self._secrets.pop(secret_id, None)

    def setting(self, name: str, default: bytes) -> bytes:
        with self._lock:
            return self._settings.setdefault(name, default)
