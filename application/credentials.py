"""Secrets that this server hands out: `tp_<kind>_<id>_<secret>`.

The id finds the kept half without timing hints; the secret is proven by its SHA-256. It has 256 random bits, so no
salt or stretching is needed.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from typing import Literal

import msgspec

Kind = Literal["ing", "pat", "ses", "shr"]
"""Ingest token, personal token, session, share."""

_SECRET = re.compile(r"(tp_(?:ing|pat|ses|shr)_[0-9a-f]{16}_)[A-Za-z0-9_-]+")
_FORM = re.compile(r"\Atp_(ing|pat|ses|shr)_([0-9a-f]{16})_([A-Za-z0-9_-]{43})\Z")


class Minted(msgspec.Struct, frozen=True):
    """A new credential: `text` goes to its holder and is kept nowhere."""

    text: str
    id: str
    secret_hash: bytes

    def __repr__(self) -> str:
        return f"Minted(id={self.id!r})"


class Presented(msgspec.Struct, frozen=True):
    """A credential as somebody shows it, not yet proven."""

    id: str
    secret_hash: bytes

    def proves(self, kept_hash: bytes) -> bool:
        """Whether it holds the secret whose hash was kept."""
        return hmac.compare_digest(self.secret_hash, kept_hash)


def mint(kind: Kind) -> Minted:
    """A fresh credential."""
    identity, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
    return Minted(f"tp_{kind}_{identity}_{secret}", identity, _hash(secret))


def presented(text: str, kind: Kind) -> Presented | None:
    """The parts of `text`; None where it is no credential of this kind."""
    found = _FORM.match(text)
    if found is None or found[1] != kind:
        return None
    return Presented(found[2], _hash(found[3]))


def without_secrets(text: str) -> str:
    """`text` with the secret half of every credential in it masked; the id still says which one it was."""
    return _SECRET.sub(r"\1[masked]", text)


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
