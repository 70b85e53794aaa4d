"""Numbers and states as people read them."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

from application.ports.series_view import InvalidCounts

_UNSHOWABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")
_SIGNIFICANT = ".6g"
_STEP = 1024
_WHOLE = 100
_BEYOND_DIGITS = 10**15
"""From here on a measured number holds fewer digits than it would be written with."""


def number(value: int | None) -> str:
    """`12,345`; `unknown` for what nobody said, which is not zero."""
    if value is None:
        return "unknown"
    return f"{value:,}" if abs(value) < _BEYOND_DIGITS else f"{value:.6g}"


def plural(value: int, noun: str) -> str:
    """`1 point`, `2 points`."""
    return f"{value:,} {noun}" if value == 1 else f"{value:,} {noun}s"


def told(value: int | None, noun: str) -> str:
    """`1 point`; `unknown points` for what nobody said."""
    return f"unknown {noun}s" if value is None else plural(value, noun)


def percent(ratio: float | None) -> str:
    """`83.3 %`; a rate that is not quite all or nothing never reads as 100 % or 0 %."""
    if ratio is None:
        return "unknown"
    if ratio in {0, 1}:
        return f"{ratio:.0%}".replace("%", " %")
    shown = f"{100 * ratio:.1f}"
    if shown == "100.0":
        return "> 99.9 %"
    if shown == "0.0":
        return "< 0.1 %"
    return f"{shown} %"


def value(measured: float | None) -> str:
    """Six significant digits."""
    return "unknown" if measured is None else f"{measured:{_SIGNIFICANT}}"


def brief(measured: float | None) -> str:
    """Three significant digits, whole numbers whole: `82.2`, `57,010`."""
    if measured is None:
        return "unknown"
    return f"{measured:,.0f}" if _WHOLE <= abs(measured) < _BEYOND_DIGITS else f"{measured:.3g}"


def invalid(counts: InvalidCounts) -> str:
    """`12 NaN, 1 +∞ from step 60`; empty where every value was finite."""
    kinds = (("NaN", counts.nan), ("+∞", counts.pos_inf), ("\N{MINUS SIGN}∞", counts.neg_inf))
    said_of = ", ".join(f"{count:,} {kind}" for kind, count in kinds if count)
    return f"{said_of} from step {number(counts.first_step)}" if said_of else ""


def size(size_bytes: int) -> str:
    """`1.5 MiB`."""
    shown = float(size_bytes)
    unit = 0
    while shown >= _STEP and unit < len(_UNITS) - 1:
        shown /= _STEP
        unit += 1
    return f"{shown:,.0f} {_UNITS[unit]}" if unit == 0 else f"{shown:,.1f} {_UNITS[unit]}"


def utc(iso: str) -> str:
    """`2026-01-01T12:00:00.000000Z` as `2026-01-01 12:00:00 UTC`."""
    return f"{iso[:10]} {iso[11:19]} UTC"


def showable(text: str) -> str:
    """Control characters, which show nothing or garble the page, as U+FFFD."""
    return _UNSHOWABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def said(reported: object) -> str:
    """A value of an observation, as it was sent."""
    return str(reported).lower() if isinstance(reported, bool) else str(reported)


def in_address(text: str) -> str:
    """Percent-encoded, `/` included."""
    return quote(text, safe="")


FILTERS: dict[str, Callable[..., str]] = {
    "number": number,
    "plural": plural,
    "told": told,
    "percent": percent,
    "value": value,
    "brief": brief,
    "invalid": invalid,
    "size": size,
    "utc": utc,
    "said": said,
    "showable": showable,
    "in_address": in_address,
}
"""By the names that templates call them."""
