"""Hyperparameters as a flat object of JSON values, without secrets."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from tuneplane.contract import HPARAMS_BODY_BYTES
from tuneplane.flatten import DEEPEST
from tuneplane.foreign import Foreign
from tuneplane.redaction import kept

_TEXT_CHARS = 4096
_KEY_CHARS = 512
ROOM_BYTES = HPARAMS_BODY_BYTES - 1024
"""For the parameters themselves; the rest of the body carries the run's id."""


class TooManyParameters(ValueError):
    """The hyperparameters are larger than one request may be."""


def flat_parameters(params: Mapping[Any, Any]) -> dict[str, Any]:
    """Nested names joined with `.`; what JSON cannot hold as its text; secrets masked.

    Raises TooManyParameters.
    """
    found: dict[str, Any] = {}
    _collect(params, "", found, DEEPEST)
    if len(json.dumps(found, ensure_ascii=False).encode()) > ROOM_BYTES:
        message = f"hyperparameters are larger than {ROOM_BYTES} bytes of JSON"
        raise TooManyParameters(message)
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
    if isinstance(value, (list, tuple)) and all(isinstance(v, (str, int, float)) for v in value):
        return [_value(name, item) for item in value[:256]]
    try:
        text = str(value)
    except Exception as problem:  # noqa: BLE001 - a foreign __str__ may raise anything
        text = f"<{type(value).__name__}: {type(problem).__name__}>"
    return kept(name, "".join(c if c in "\n\t" else _plain(c) for c in text[:_TEXT_CHARS]))


def _plain(text: str) -> str:
    """`text` with U+FFFD for control characters and lone surrogates."""
    if text.isprintable():
        return text
    return "".join("\ufffd" if c < " " or "\x7f" <= c <= "\x9f" or "\ud800" <= c <= "\udfff" else c for c in text)
