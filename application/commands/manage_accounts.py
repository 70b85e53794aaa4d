"""Makes accounts, changes their passwords, grants them roles and permissions, and disables them."""

from __future__ import annotations

import re
import secrets
import string
from collections.abc import Callable, Collection
from typing import Literal

import msgspec

from application.ports.accounts import Account, Accounts, Permission, Role
from application.ports.passwords import Passwords
from domain.errors import IdentityTaken, Refused, UnknownThing

NAME_PATTERN = re.compile(r"\A[A-Za-z0-9_.@-]{1,64}\Z")
SHORTEST_PASSWORD = 12
LONGEST_PASSWORD = 256
FIRST_ACCOUNT = "admin"
_ALPHABET = string.ascii_letters + string.digits
"""Of random passwords: none begins with a dash, which commands would take for an option."""


class ManageAccounts:
    """Raises `Refused` for what breaks a rule, `IdentityTaken` and `UnknownThing` for accounts."""

    def __init__(self, accounts: Accounts, passwords: Passwords) -> None:
        self._accounts = accounts
        self._passwords = passwords

    def make_first(self) -> str | None:
        """On a fresh installation the account `admin`; its password, which is kept nowhere. None later."""
        if self._accounts.everyone():
            return None
        return self.create(FIRST_ACCOUNT, role="admin")

    def create(self, name: str, *, role: Role = "member", password: str | None = None) -> str:
        """Makes an account; its password, a random one where none was given."""
        if not NAME_PATTERN.match(name):
            raise Refused.at("name", "must be 1 to 64 of A-Z a-z 0-9 _ . @ -", 64)
        chosen = _checked(password)
        try:
            self._accounts.add(Account(name=name, role=role, password_hash=self._passwords.hash(chosen)))
        except IdentityTaken:
            raise IdentityTaken(f"There is a user {name} already.") from None
        return chosen

    def change_password(self, name: str, password: str | None = None) -> str:
        """The new password, a random one where none was given. Sessions end; personal tokens stay."""
        chosen = _checked(password)
        kept = self._passwords.hash(chosen)
        self._change(name, lambda account, _: msgspec.structs.replace(account, password_hash=kept))
        self._accounts.drop_secrets(name, "session")
        return chosen

    def change_own_password(self, name: str, *, old: str, new: str) -> bool:
        """Whether `old` was the password, which then is `new`; sessions end, the one that asks included."""
        account = self._accounts.find(name)
        _checked(new)
        if not self._passwords.matches(old, account.password_hash if account else None):
            return False
        self.change_password(name, new)
        return True

    def grant(
        self, name: str, *, role: Role | None = None, permissions: Collection[Permission] | None = None
    ) -> Account:
        """The account as it is now; None leaves a thing as it was, an empty collection takes all back.

        The last administrator stays one.
        """

        def granted(account: Account, everyone: list[Account]) -> Account:
            changed = msgspec.structs.replace(
                account,
                role=role or account.role,
                permissions=account.permissions if permissions is None else frozenset(permissions),
            )
            return _with_an_administrator(account, changed, everyone)

        return self._change(name, granted)

    def disable(self, name: str) -> None:
        """Nobody signs in as `name` any more; sessions and personal tokens end. Not for the last administrator."""

        def disabled(account: Account, everyone: list[Account]) -> Account:
            return _with_an_administrator(account, msgspec.structs.replace(account, disabled=True), everyone)

        self._change(name, disabled)
        self.end_everything(name)

    def enable(self, name: str) -> None:
        """The account is good again, with the password and the rights that it had."""
        self._change(name, lambda account, _: msgspec.structs.replace(account, disabled=False))

    def end_everything(self, name: str) -> None:
        """Ends the sessions and personal tokens of `name`."""
        if self._accounts.find(name) is None:
            raise _unknown(name)
        self._accounts.drop_secrets(name, "session")
        self._accounts.drop_secrets(name, "personal")

    def end_secret(self, name: str, kind: Literal["session", "personal"], secret_id: str) -> None:
        """Ends one session or personal token of `name`. Raises `UnknownThing` for what is not theirs, or not there."""
        found = self._accounts.find_secret(secret_id)
        if found is None or (found.subject, found.kind) != (name, kind):
            raise UnknownThing("You have no such session." if kind == "session" else "You have no such token.")
        self._accounts.drop_secret(secret_id)

    def _change(self, name: str, decide: Callable[[Account, list[Account]], Account]) -> Account:
        changed = self._accounts.change(name, decide)
        if changed is None:
            raise _unknown(name)
        return changed


def _with_an_administrator(account: Account, changed: Account, everyone: list[Account]) -> Account:
    """`changed`, unless nobody would be left who administers. Raises `Refused`."""
    others = [one for one in everyone if one.name != account.name]
    if _administers(account) and not any(map(_administers, (changed, *others))):
        raise Refused(f"{account.name} is the last administrator; make somebody else one first.")
    return changed


def _administers(account: Account) -> bool:
    return account.role == "admin" and not account.disabled


def _unknown(name: str) -> UnknownThing:
    return UnknownThing(f"There is no user {name!r}.")


def _checked(password: str | None) -> str:
    if password is None:
        return "".join(secrets.choice(_ALPHABET) for _ in range(24))
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise Refused.at("password", f"must have {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters")
    return password
