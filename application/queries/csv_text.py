"""CSV (RFC 4180), and text cells of it that a spreadsheet opens without running them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_text(text: str) -> str:
    """`text` with a `'` before what a spreadsheet would take for a formula. Never for numbers."""
    return "'" + text if text.startswith(_FORMULA_STARTS) else text


def csv_lines(names: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A heading, then a line for each row."""
    for row in (names, *rows):
        text = io.StringIO()
        csv.writer(text).writerow(row)
        yield text.getvalue()
