"""Numbers that a trainer left in JSON, as series of one point each."""

from __future__ import annotations

import math
from typing import Any

from tuneplane.columns import invalid_kind
from tuneplane.foreign import Foreign


class NotANumber(ValueError):
    """The value has no place on a chart; the message is what it is, as `text`."""


def number_of(value: Foreign) -> float:
    """The number, finite or not. Raises NotANumber."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise NotANumber(_kind(value))
    try:
        return float(value)
    except OverflowError:
        raise NotANumber("integer too large") from None


def point(key: str, step: int, number: float) -> dict[str, Any]:
    """The series of one point for `Reporter.series`."""
    if math.isfinite(number):
        return {"key": key, "steps": [step], "values": [number]}
    return {"key": key, "steps": [], "values": [], "invalid": [{"step": step, "kind": invalid_kind(number)}]}


def _kind(value: Foreign) -> str:
    """What JSON calls it."""
    names = {type(None): "null", bool: "boolean", str: "text", list: "list"}
    return names.get(type(value), "object")
