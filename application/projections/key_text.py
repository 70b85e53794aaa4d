"""Text from outside, as a database can keep it: in a column, and in a record's key."""

from __future__ import annotations

import hashlib

_KEY_CHARS = 128


def column_text(said: object) -> str:
    """`said` as text without NUL, which becomes U+FFFD."""
    return str(said).replace("\0", "\N{REPLACEMENT CHARACTER}")


def key_text(said: object) -> str:
    """`said` as text short enough for an index: of a longer one the start and a digest, so that it stays its own."""
    text = column_text(said)
    if len(text) <= _KEY_CHARS:
        return text
    return f"{text[:_KEY_CHARS]}…{hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()}"
