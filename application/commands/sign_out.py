"""Signs a person out."""

from __future__ import annotations

from application.ports.accounts import Accounts


class SignOut:
    """Ends one session; the person's others stay."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    def __call__(self, session_id: str) -> None:
        """May be repeated."""
        self._accounts.drop_secret(session_id)
