"""People, their passwords, their personal tokens and their sessions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

import msgspec

from domain.ids import Micros

Role = Literal["admin", "member", "viewer"]
Permission = Literal["content", "audit"]
SecretKind = Literal["personal", "session", "share"]


class Account(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    role: Role
    permissions: frozenset[Permission] = frozenset()
    """Granted beside the role; admins have all of them."""
    password_hash: str = ""
    """Argon2 encoded."""
    disabled: bool = False
    """Opens nothing, whatever secrets it has. Accounts are never removed: their names own jobs."""
    signed_in_at: Micros | None = None
    """The last time with name and password; None: never, or before this was noted."""

    def __repr__(self) -> str:
        return f"Account(name={self.name!r}, role={self.role!r})"

    def may(self, permission: Permission) -> bool:
        """Whether the account has `permission`, by role or by grant."""
        return self.role == "admin" or permission in self.permissions


class Secret(msgspec.Struct, frozen=True, kw_only=True):
    """The kept half of a personal token, a session or a share: found by id, proven by hash."""

    id: str
    secret_hash: bytes
    subject: str
    """Account name; run id for a share."""
    kind: SecretKind
    created_at: Micros
    expires_at: Micros | None = None
    """None: until taken back."""
    name: str = ""
    csrf: str = ""
    """Sessions only: what console writes must repeat."""
    made_by: str = ""
    """Shares only: account name; empty where that is unknown."""

    def is_over(self, now: Micros) -> bool:
        """Whether it has expired."""
        return self.expires_at is not None and self.expires_at <= now

    def __repr__(self) -> str:
        return f"Secret(id={self.id!r}, kind={self.kind!r}, subject={self.subject!r})"


class Accounts(Protocol):
    """Every method is one transaction."""

    def find(self, name: str) -> Account | None:
        """The account, or None."""
        ...

    def everyone(self) -> list[Account]:
        """All accounts, by name."""
        ...

    def add(self, account: Account) -> None:
        """Makes an account. Raises `IdentityTaken` where there is one of this name."""
        ...

    def change(self, name: str, decide: Callable[[Account, list[Account]], Account]) -> Account | None:
        """What `decide` makes of the account and of all accounts; None where there is none of this name.

        Changes come one after another, so what `decide` was shown still holds. What it raises changes nothing.
        """
        ...

    def add_secret(self, secret: Secret) -> None:
        """Keeps a new secret. Raises `IdentityTaken`."""
        ...

    def find_secret(self, secret_id: str) -> Secret | None:
        """The secret, expired ones included; None where there is none or it was taken back."""
        ...

    def secrets_of(self, subject: str, kind: SecretKind) -> list[Secret]:
        """All of one kind, newest first."""
        ...

    def secrets(self, kind: SecretKind) -> list[Secret]:
        """All of one kind, of every subject, newest first."""
        ...

    def drop_secret(self, secret_id: str) -> None:
        """Takes a secret back; nothing happens where there is none."""
        ...

    def drop_secrets(self, subject: str, kind: SecretKind) -> None:
        """Takes all of one kind back."""
        ...

    def setting(self, name: str, default: bytes) -> bytes:
        """A value kept for this installation, `default` stored and answered the first time."""
        ...
