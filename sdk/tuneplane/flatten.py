"""From what a training loop holds (numbers, arrays, tensors, nested dicts) to named numbers."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Any, Callable

from tuneplane.foreign import Foreign

DEEPEST = 32
"""Levels of nesting; what lies deeper is counted as invalid."""


class NoNumber(ValueError):
    """The value is no number."""


def flattened(metrics: Mapping[Any, Any], refuse: Callable[[str, str], None]) -> dict[str, float]:
    """Numbers by their name, nested names joined with `.`, each read now.

    NaN and infinities are numbers here. `refuse(name, reason)` is called for each value that is
    no number; the others are kept.
    """
    found: dict[str, float] = {}
    _collect(metrics, "", found, refuse, DEEPEST)
    return found


def _collect(
    metrics: Mapping[Any, Any],
    above: str,
    found: dict[str, float],
    refuse: Callable[[str, str], None],
    levels: int,
) -> None:
    for key, value in metrics.items():
        name = f"{above}{key}"
        if type(value) is float:
            found[name] = value
        elif isinstance(value, Mapping):
            if levels == 0:
                refuse(name, "nested too deep")
            else:
                _collect(value, f"{name}.", found, refuse, levels - 1)
        else:
            try:
                found[name] = as_number(value)
            except Exception as problem:  # noqa: BLE001 - a foreign type may raise anything
                refuse(name, str(problem) or type(problem).__name__)


def as_number(value: Foreign) -> float:
    """One number: of an array or tensor with one element that element, of others their mean.

    Booleans, text and None are no numbers. Raises NoNumber, or whatever a foreign type raises.
    """
    if isinstance(value, (bool, str, bytes, bytearray)) or value is None:
        message = f"a {type(value).__name__} is no number"
        raise NoNumber(message)
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, (list, tuple)):
        return _mean([as_number(item) for item in value])
    if "bool" in str(getattr(value, "dtype", "")):
        message = "a boolean is no number"
        raise NoNumber(message)
    size = _size(value)
    if size is None:
        return float(value)
    if size == 0:
        message = "an empty array has no mean"
        raise NoNumber(message)
    return float(value.item() if size == 1 else _array_mean(value))


def finite(value: Foreign) -> float | None:
    """The number; None where there is none, where it is a boolean, or where it is not finite."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def as_step(value: Foreign) -> int:
    """A step: a whole number from 0 to 2**63 - 1, also from a float or tensor that holds one."""
    if isinstance(value, bool):
        message = "the step is a boolean"
        raise NoNumber(message)
    if not isinstance(value, int):
        value = _whole(value)
    if not 0 <= value < 2**63:
        message = f"step {value} is outside 0 to 2**63 - 1"
        raise NoNumber(message)
    return int(value)


def _whole(value: Foreign) -> int:
    try:
        return operator.index(value)
    except TypeError:
        number = as_number(value)
    if not number.is_integer():
        message = "the step is no whole number"
        raise NoNumber(message)
    return int(number)


def _size(value: Foreign) -> int | None:
    """How many elements an array or tensor holds; None for a scalar of another kind."""
    if not hasattr(value, "item"):
        return None
    count = getattr(value, "numel", None)
    if callable(count):
        return int(count())
    size = getattr(value, "size", None)
    return size if isinstance(size, int) else None


def _array_mean(value: Foreign) -> Foreign:
    detach = getattr(value, "detach", None)
    if callable(detach):  # a torch tensor: integers have no mean, half precision a rough one
        tensor = detach()
        wide = "float64" in str(getattr(tensor, "dtype", ""))
        return (tensor if wide else tensor.float()).mean().item()
    return value.mean().item()


def _mean(numbers: list[float]) -> float:
    if not numbers:
        message = "an empty list has no mean"
        raise NoNumber(message)
    if all(map(math.isfinite, numbers)):
        return math.fsum(numbers) / len(numbers)
    return sum(numbers) / len(numbers)
