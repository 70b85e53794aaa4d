"""People, their passwords, their personal tokens and their sessions."""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from domain.ids import Micros

Role = Literal["admin", "member", "viewer"]
Permission = Literal["content", "audit"]


class Account(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    role: Role
    permissions: frozenset[Permission] = frozenset()
    """Granted beside the role; admins have all of them."""
    password_hash: str = ""
    """Argon2 encoded."""

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
    kind: Literal["personal", "session", "share"]
    created_at: Micros
    expires_at: Micros | None = None
    """None: until taken back."""
    name: str = ""
    csrf: str = ""
    """Sessions only: what console writes must repeat."""

    def __repr__(self) -> str:
        return f"Secret(id={self.id!r}, kind={self.kind!r}, subject={self.subject!r})"


class Accounts(Protocol):
    """Every method is one transaction."""

    def find(self, name: str) -> Account | None:
        """The account, or None."""
        ...

    def put(self, account: Account) -> None:
        """Makes or replaces the account of this name."""
        ...

    def names(self) -> list[str]:
        """All account names, sorted."""
        ...

    def add_secret(self, secret: Secret) -> None:
        """Keeps a new secret."""
        ...

    def find_secret(self, secret_id: str) -> Secret | None:
        """The secret, expired ones included; None where there is none or it was taken back."""
        ...

    def secrets_of(self, subject: str, kind: Literal["personal", "session", "share"]) -> list[Secret]:
        """All of one kind, newest first."""
        ...

    def drop_secret(self, secret_id: str) -> None:
        """Takes a secret back; nothing happens where there is none."""
        ...

    def setting(self, name: str, default: bytes) -> bytes:
        """A value kept for this installation, `default` stored and answered the first time."""
        ...
