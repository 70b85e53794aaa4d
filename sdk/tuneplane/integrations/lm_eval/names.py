"""Names that others chose, as the contract and a terminal can take them."""

from __future__ import annotations

import hashlib

from tuneplane.terminal import shown

_MARK_DIGITS = 16


def as_identity(text: str, longest: int) -> str:
    """`text` itself where it is short and printable; else its beginning, told apart by a hash of the whole."""
    clean = shown(text)
    if clean == text and 1 <= len(text) <= longest:
        return text
    mark = "~" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK_DIGITS]
    return clean[: longest - len(mark)] + mark
