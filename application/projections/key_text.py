"""Text from outside as part of a record's key."""

from __future__ import annotations


def key_text(said: object) -> str:
    """`said` as text that a database can keep as a key: NUL becomes U+FFFD."""
    return str(said).replace("\0", "\N{REPLACEMENT CHARACTER}")
