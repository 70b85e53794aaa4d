"""Text cells of a CSV that a spreadsheet opens without running them."""

from __future__ import annotations

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_text(text: str) -> str:
    """`text` with a `'` before what a spreadsheet would take for a formula. Never for numbers."""
    return "'" + text if text.startswith(_FORMULA_STARTS) else text
