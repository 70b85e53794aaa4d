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
        return self._hasher.hash(password)

    def matches(self, password: str, kept_hash: str | None) -> bool:
        if len(password.encode("utf-8", "replace")) > LONGEST_PASSWORD_BYTES:
            return False
        try:
            self._hasher.verify(kept_hash or self._nobody, password)
        except (VerificationError, InvalidHashError):
            return False
        return kept_hash is not None
