"""Hyperparameters as a flat object of JSON values, without secrets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tuneplane.flatten import DEEPEST
from tuneplane.foreign import Foreign
from tuneplane.redaction import MASK, kept, names_a_secret

_TEXT_CHARS = 4096
_KEY_CHARS = 512
_ITEMS = 256
_SHORT = (int, float)
"""Lists of these stay lists; others become text."""


def flat_parameters(params: Mapping[Any, Any]) -> dict[str, Any]:
    """Nested names joined with `.`; what JSON cannot hold as its text; secrets masked."""
    found: dict[str, Any] = {}
    _collect(params, "", found, DEEPEST)
    return found


def _collect(params: Mapping[Any, Any], above: str, found: dict[str, Any], levels: int) -> None:
    for key, value in params.items():
        name = _plain(f"{above}{key}")[:_KEY_CHARS]
        if isinstance(value, Mapping) and value and levels:
            _collect(value, f"{name}.", found, levels - 1)
        else:
            found[name] = _value(name, value)


def _value(name: str, value: Foreign) -> Foreign:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if -(2**63) <= value < 2**63 else str(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, (list, tuple)) and all(isinstance(v, _SHORT) for v in value):
        return [_value(name, item) for item in value[:_ITEMS]]
    try:
        text = str(_without_secrets(value, DEEPEST))
    except Exception as problem:  # noqa: BLE001 - a foreign __str__ may raise anything
        text = f"<{type(value).__name__}: {type(problem).__name__}>"
    return kept(name, "".join(c if c in "\n\t" else _plain(c) for c in text[:_TEXT_CHARS]))


def _without_secrets(value: Foreign, levels: int) -> Foreign:
    """What becomes text as a whole, with the values masked that lie under telling names in it."""
    if not levels:
        return "nested too deep"
    if isinstance(value, Mapping):
        return {
            key: MASK if inner and names_a_secret(str(key)) else _without_secrets(inner, levels - 1)
            for key, inner in value.items()
        }
    if type(value) in (list, tuple):
        return type(value)(_without_secrets(inner, levels - 1) for inner in value)
    return value


def _plain(text: str) -> str:
    """`text` with U+FFFD for control characters and lone surrogates."""
    if text.isprintable():
        return text
    return "".join("\ufffd" if c < " " or "\x7f" <= c <= "\x9f" or "\ud800" <= c <= "\udfff" else c for c in text)
