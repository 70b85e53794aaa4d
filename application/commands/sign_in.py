"""Signs a person in: a name and a password become a session."""

from __future__ import annotations

import hmac
import secrets

import msgspec

from application.clock import Clock, now
from application.commands.manage_accounts import NAME_PATTERN
from application.credentials import Minted, mint, presented
from application.ports.accounts import Account, Accounts, Secret
from application.ports.passwords import Passwords
from domain.ids import Micros

SESSION_MICROS = 12 * 3_600 * 1_000_000
"""Life of a session, whether it is used or not."""
SESSIONS_A_PERSON = 20
"""Open at once; the oldest end first."""


class SignIn:
    """Slow on purpose, for unknown names too."""

    def __init__(self, accounts: Accounts, passwords: Passwords, clock: Clock = now) -> None:
        self._accounts = accounts
        self._passwords = passwords
        self._clock = clock

    def __call__(self, name: str, password: str, *, earlier: str = "") -> Minted | None:
        """A new session, never one that was there before; None where name and password do not belong together.

        `earlier` is the session that the browser showed, which ends.
        """
        account = self._accounts.find(name) if NAME_PATTERN.match(name) else None
        good = self._passwords.matches(password, account.password_hash if account else None)
        if account is None or account.disabled or not good:
            return None
        self._end(earlier)
        minted, now = mint("ses"), self._clock()
        self._make_room(account.name, now)
        self._accounts.add_secret(
            Secret(
                id=minted.id,
                secret_hash=minted.secret_hash,
                subject=account.name,
                kind="session",
                created_at=now,
                expires_at=Micros(now + SESSION_MICROS),
                csrf=secrets.token_urlsafe(32),
            )
        )
        if not self._still_good(account, now):
            self._accounts.drop_secret(minted.id)
            return None
        return minted

    def _still_good(self, proven: Account, now: Micros) -> bool:
        """Notes the moment, unless the password was changed or the account disabled while it was proven.

        Asked once the session is kept: whoever changes the account later ends it with the others.
        """

        def noted(account: Account, _: list[Account]) -> Account:
            return msgspec.structs.replace(account, signed_in_at=now) if _good(account, proven) else account

        found = self._accounts.change(proven.name, noted)
        return found is not None and _good(found, proven)

    def _end(self, earlier: str) -> None:
        shown = presented(earlier, "ses")
        kept = None if shown is None else self._accounts.find_secret(shown.id)
        if shown is not None and kept is not None and kept.kind == "session" and shown.proves(kept.secret_hash):
            self._accounts.drop_secret(kept.id)

    def _make_room(self, name: str, now: Micros) -> None:
        """Ends sessions that are over, and the oldest where there are too many."""
        kept = 0
        for one in self._accounts.secrets_of(name, "session"):
            over = one.is_over(now)
            kept += not over
            if over or kept >= SESSIONS_A_PERSON:
                self._accounts.drop_secret(one.id)


def _good(account: Account, proven: Account) -> bool:
    """Whether what was proven still opens it."""
    same = hmac.compare_digest(account.password_hash.encode(), proven.password_hash.encode())
    return same and not account.disabled
