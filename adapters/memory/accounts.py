"""Accounts, the kept halves of people's secrets, and settings, in memory, for tests."""

from __future__ import annotations

import threading
from collections.abc import Callable

from application.ports.accounts import Account, Secret, SecretKind
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

    def everyone(self) -> list[Account]:
        with self._lock:
            return self._everyone()

    def add(self, account: Account) -> None:
        with self._lock:
            if account.name in self._accounts:
                raise IdentityTaken("There already is an account of this name.")
            self._accounts[account.name] = account

    def change(self, name: str, decide: Callable[[Account, list[Account]], Account]) -> Account | None:
        with self._lock:
            found = self._accounts.get(name)
            if found is None:
                return None
            changed = self._accounts[name] = decide(found, self._everyone())
            return changed

    def add_secret(self, secret: Secret) -> None:
        with self._lock:
            if secret.id in self._secrets:
                raise IdentityTaken("There already is a secret of this id.")
            self._secrets[secret.id] = secret

    def find_secret(self, secret_id: str) -> Secret | None:
        with self._lock:
            return self._secrets.get(secret_id)

    def secrets_of(self, subject: str, kind: SecretKind) -> list[Secret]:
        return [one for one in self.secrets(kind) if one.subject == subject]

    def secrets(self, kind: SecretKind) -> list[Secret]:
        with self._lock:
            found = [one for one in self._secrets.values() if one.kind == kind]
        return sorted(found, key=lambda one: (-one.created_at, one.id))

    def drop_secret(self, secret_id: str) -> None:
        with self._lock:
            self._secrets.pop(secret_id, None)

    def drop_secrets(self, subject: str, kind: SecretKind) -> None:
        with self._lock:
            ended = [one.id for one in self._secrets.values() if (one.subject, one.kind) == (subject, kind)]
            for secret_id in ended:
                del self._secrets[secret_id]

    def setting(self, name: str, default: bytes) -> bytes:
        with self._lock:
            return self._settings.setdefault(name, default)

    def _everyone(self) -> list[Account]:
        return [self._accounts[name] for name in sorted(self._accounts)]
