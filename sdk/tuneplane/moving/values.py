"""A logged row of JSON values: numbers become points, distributions histograms, the rest is counted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from tuneplane.flatten import DEEPEST
from tuneplane.foreign import Foreign
from tuneplane.moving.distributions import NotMapped, of_edges
from tuneplane.moving.source import Item, LeftOut, Unread

_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
"""As text, where a tracker writes them so: JSON has no literal for them."""
_HISTOGRAMS = ("histogram", "trackio.histogram")


def row_items(values: Mapping[str, Any], step: int, ts: float) -> Iterator[Item]:
    """What one row of names and values says; nested names are joined with `.`."""
    yield from _items(values, "", step, ts, DEEPEST)


def _items(values: Mapping[str, Any], above: str, step: int, ts: float, levels: int) -> Iterator[Item]:
    for name, value in values.items():
        key = f"{above}{name}"
        if isinstance(value, Mapping):
            if "_type" in value:
                yield _special(key, value, step, ts)
            elif levels:
                yield from _items(value, f"{key}.", step, ts, levels - 1)
            else:
                yield Unread(f"{key[:200]!r}: nested deeper than {DEEPEST} levels")
        else:
            yield _leaf(key, value, step, ts)


def _leaf(key: str, value: Foreign, step: int, ts: float) -> Item:
    if isinstance(value, bool):
        return LeftOut("boolean")
    if isinstance(value, (int, float)):
        found = as_float(value)
        return Unread(f"{key[:200]!r}: an integer too large for a number") if found is None else (key, step, ts, found)
    if isinstance(value, str):
        if value in _NOT_FINITE:
            return key, step, ts, _NOT_FINITE[value]
        return LeftOut("text")
    return LeftOut("null" if value is None else "list")


def _special(key: str, value: Mapping[str, Any], step: int, ts: float) -> Item:
    """What the tracker marks with a type of its own."""
    kind = str(value["_type"])
    if kind not in _HISTOGRAMS:
        return LeftOut(kind)
    edges, counts = value.get("bins"), value.get("values")
    if not (_are_numbers(edges) and _are_numbers(counts)):
        return LeftOut("histogram (packed otherwise than in bins and values)")
    try:
        return of_edges(key, step, ts, edges, counts)  # type: ignore[arg-type]  # checked above
    except (NotMapped, OverflowError) as problem:
        return LeftOut(f"histogram ({problem})")


def as_float(value: Foreign) -> float | None:
    """None for what is no number, or an integer too large to be one."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _are_numbers(values: Foreign) -> bool:
    return isinstance(values, list) and all(
        isinstance(one, (int, float)) and not isinstance(one, bool) for one in values
    )
