"""Accounts, tokens and sessions for stories over HTTP."""

import msgspec

from application.credentials import mint
from application.ports.accounts import Account, Accounts, Secret
from domain.ids import Micros


def know(accounts: Accounts, account: Account) -> None:
    """Makes the account, or makes it what it shall be."""
    if accounts.change(account.name, lambda *_: account) is None:
        accounts.add(account)


def personal_token(server, name: str, role="member", permissions=frozenset(), expires_at=None) -> str:
    """A new personal token of an account made for it."""
    accounts, minted = server.container.accounts(), mint("pat")
    know(accounts, Account(name=name, role=role, permissions=permissions))
    accounts.add_secret(
        Secret(
            id=minted.id,
            secret_hash=minted.secret_hash,
            subject=name,
            kind="personal",
            created_at=Micros(0),
            expires_at=expires_at,
        )
    )
    return minted.text


class Session(msgspec.Struct):
    cookie: str
    csrf: str


def session(server, name: str, role="admin") -> Session:
    """A new session of an account made for it."""
    accounts, minted = server.container.accounts(), mint("ses")
    know(accounts, Account(name=name, role=role))
    accounts.add_secret(
        Secret(
            id=minted.id,
            secret_hash=minted.secret_hash,
            subject=name,
            kind="session",
            created_at=Micros(0),
            csrf=f"csrf-of-{minted.id}",
        )
    )
    return Session(f"tuneplane_session={minted.text}", f"csrf-of-{minted.id}")
