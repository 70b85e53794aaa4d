"""Whole numbers as people write them into addresses and forms."""

from __future__ import annotations

from tuneplane.contract import INT64_MAX

from domain.errors import Refused


def whole_number(field: str, text: str, what: str, *, least: int = 0, most: int = INT64_MAX) -> int | None:
    """`text` without blanks around it; None where nothing was written.

    Raises `Refused` for anything but digits, and outside `least` to `most`: "`field` must be `what`".
    """
    digits = text.strip()
    if not digits:
        return None
    written = digits.isascii() and digits.isdigit() and len(digits) <= len(str(INT64_MAX))
    if not written or not least <= int(digits) <= most:
        raise Refused.at(field, f"must be {what}")
    return int(digits)
