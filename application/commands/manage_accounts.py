"""Makes accounts, changes their passwords, and grants them roles and permissions."""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection

import msgspec

from application.ports.accounts import Account, Accounts, Permission, Role
from application.ports.passwords import Passwords
from domain.errors import IdentityTaken, Refused, UnknownThing

NAME_PATTERN = re.compile(r"\A[A-Za-z0-9_.@-]{1,64}\Z")
SHORTEST_PASSWORD = 12
LONGEST_PASSWORD = 256
FIRST_ACCOUNT = "admin"


class ManageAccounts:
    """Raises `Refused` for what breaks a rule, `IdentityTaken` and `UnknownThing` for accounts."""

    def __init__(self, accounts: Accounts, passwords: Passwords) -> None:
        self._accounts = accounts
        self._passwords = passwords

    def make_first(self) -> str | None:
        """On a fresh installation the account `admin`; its password, which is kept nowhere. None later."""
        if self._accounts.names():
            return None
        return self.create(FIRST_ACCOUNT, role="admin")

    def create(self, name: str, *, role: Role = "member", password: str | None = None) -> str:
        """Makes an account; its password, a random one where none was given."""
        if not NAME_PATTERN.match(name):
            raise Refused.at("name", "must be 1 to 64 of A-Z a-z 0-9 _ . @ -", 64)
        if self._accounts.find(name) is not None:
            raise IdentityTaken(f"There is a user {name} already.")
        chosen = _checked(password)
        self._accounts.put(Account(name=name, role=role, password_hash=self._passwords.hash(chosen)))
        return chosen

    def change_password(self, name: str, password: str | None = None) -> str:
        """The new password, a random one where none was given. Sessions end; personal tokens stay."""
        account, chosen = self._found(name), _checked(password)
        self._accounts.put(msgspec.structs.replace(account, password_hash=self._passwords.hash(chosen)))
        for session in self._accounts.secrets_of(name, "session"):
            self._accounts.drop_secret(session.id)
        return chosen

    def grant(
        self, name: str, *, role: Role | None = None, permissions: Collection[Permission] | None = None
    ) -> Account:
        """The account as it is now; None leaves a thing as it was, an empty collection takes all back."""
        account = self._found(name)
        changed = msgspec.structs.replace(
            account,
            role=role or account.role,
            permissions=account.permissions if permissions is None else frozenset(permissions),
        )
        self._accounts.put(changed)
        return changed

    def _found(self, name: str) -> Account:
        account = self._accounts.find(name)
        if account is None:
            raise UnknownThing(f"There is no user {name!r}.")
        return account


def _checked(password: str | None) -> str:
    if password is None:
        return secrets.token_urlsafe(18)
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise Refused.at("password", f"must have {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters")
    return password
