"""Makes a personal access token for a program."""

from __future__ import annotations

from application.clock import Clock, now
from application.credentials import Minted, mint
from application.ports.accounts import Accounts, Secret
from domain.errors import Refused, UnknownThing
from domain.ids import DAY_MICROS, Micros

NAME_CHARS = 128
LONGEST_DAYS = 3_650


class CreatePersonalToken:
    """Raises `UnknownThing` where there is no such account, `Refused` for an impossible name or life."""

    def __init__(self, accounts: Accounts, clock: Clock = now) -> None:
        self._accounts = accounts
        self._clock = clock

    def __call__(self, user: str, *, name: str = "", days: int | None = None) -> Minted:
        """`days` None: good until it is taken back."""
        if self._accounts.find(user) is None:
            raise UnknownThing(f"There is no user {user!r}.")
        if len(name) > NAME_CHARS or not (name == "" or name.isprintable()):
            raise Refused.at("name", f"at most {NAME_CHARS} printable characters", NAME_CHARS)
        if days is not None and not 1 <= days <= LONGEST_DAYS:
            raise Refused.at("days", f"must be 1 to {LONGEST_DAYS:,}", LONGEST_DAYS)
        minted, now = mint("pat"), self._clock()
        self._accounts.add_secret(
            Secret(
                id=minted.id,
                secret_hash=minted.secret_hash,
                subject=user,
                kind="personal",
                created_at=now,
                expires_at=None if days is None else Micros(now + days * DAY_MICROS),
                name=name,
            )
        )
        return minted
