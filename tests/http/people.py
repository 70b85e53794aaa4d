"""Accounts, tokens and sessions for stories over HTTP."""

import msgspec

from application.credentials import Kind, Minted, mint
from application.ports.accounts import Account, Accounts, Secret, SecretKind
from domain.ids import Micros

_KINDS: dict[SecretKind, Kind] = {"personal": "pat", "session": "ses", "share": "shr"}


def know(accounts: Accounts, account: Account) -> None:
    """Makes the account, or makes it what it shall be."""
    if accounts.change(account.name, lambda *_: account) is None:
        accounts.add(account)


def keep(accounts: Accounts, subject: str, kind: SecretKind, expires_at: Micros | None = None) -> Minted:
    """A new secret; a session's CSRF token is `csrf-of-` and its id."""
    minted = mint(_KINDS[kind])
    accounts.add_secret(
        Secret(
            id=minted.id,
            secret_hash=minted.secret_hash,
            subject=subject,
            kind=kind,
            created_at=Micros(0),
            expires_at=expires_at,
            csrf=f"csrf-of-{minted.id}" if kind == "session" else "",
        )
    )
    return minted


def personal_token(server, name: str, role="member", permissions=frozenset(), expires_at=None) -> str:
    """A new personal token of an account made for it."""
    accounts = server.container.accounts()
    know(accounts, Account(name=name, role=role, permissions=permissions))
    return keep(accounts, name, "personal", expires_at).text


class Session(msgspec.Struct):
    cookie: str
    csrf: str


def session(server, name: str, role="admin") -> Session:
    """A new session of an account made for it."""
    accounts = server.container.accounts()
    know(accounts, Account(name=name, role=role))
    minted = keep(accounts, name, "session")
    return Session(f"tuneplane_session={minted.text}", f"csrf-of-{minted.id}")
