"""Times on the wire: ISO-8601 with an offset, or seconds since the epoch in columns. Stored as microseconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from domain.errors import Refused
from domain.ids import Micros

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EARLIEST_SECONDS = -62_135_596_800.0
LATEST_SECONDS = 253_402_300_800.0
"""Years 1 to 9999, what every reader of times can show."""
_CALENDAR = re.compile(r"\A\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?([Zz]|[+-]\d\d(:?\d\d)?)\Z", re.ASCII)
_KEPT = 65_536
known_micros: dict[str, Micros] = {}
"""Times seen lately: the points of one batch share few."""


def micros(path: str, text: str) -> Micros:
    """Microseconds since the epoch. Raises `Refused` for what is no calendar time with an offset."""
    found = known_micros.get(text)
    return found if found is not None else _parsed(path, text)


def _parsed(path: str, text: str) -> Micros:
    # datetime.fromisoformat takes week dates and times without an offset too.
    if not _CALENDAR.match(text):
        raise Refused.at(path, "must be ISO-8601 with an offset, as in 2026-01-31T12:00:00Z")
    try:
        since = datetime.fromisoformat(text.upper()) - EPOCH
    except ValueError as problem:
        raise Refused.at(path, f"is no time: {problem}") from None
    seconds = since.days * 86_400 + since.seconds
    if not EARLIEST_SECONDS <= seconds < LATEST_SECONDS:
        raise Refused.at(path, "must be in the years 1 to 9999 of UTC")
    value = Micros(seconds * 1_000_000 + since.microseconds)
    if len(known_micros) >= _KEPT:
        known_micros.clear()
    known_micros[text] = value
    return value


def checked(path: str, text: str | None) -> str | None:
    """A reporter's time that is kept as sent."""
    if text is not None:
        micros(path, text)
    return text
