"""Passwords as Argon2id hashes."""

from __future__ import annotations

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

LONGEST_PASSWORD_BYTES = 1_024
"""Hashing costs time by length too; nobody types more."""


class Argon2Passwords:
    """See `application/ports/passwords.py`."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher()
        self._nobody = self._hasher.hash("nobody has this password")

    def hash(self, password: str) -> str:
        return self._hasher.hash(_bytes(password))

    def matches(self, password: str, kept_hash: str | None) -> bool:
        given = _bytes(password)
        if len(given) > LONGEST_PASSWORD_BYTES:
            return False
        try:
            self._hasher.verify(kept_hash or self._nobody, given)
        except (VerificationError, InvalidHashError):
            return False
        return kept_hash is not None


def _bytes(password: str) -> bytes:
    """Whatever was typed, lone surrogates included."""
    return password.encode("utf-8", "surrogatepass")
