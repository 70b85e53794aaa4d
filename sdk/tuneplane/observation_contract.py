"""The observation contract that `configure_observability` declares for a custom trainer."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterable, Mapping
from typing import Any

from tuneplane import contract
from tuneplane.observations import ObservationRefused

_TEXTS = ("direction", "display", "unit", "population", "reduction", "formula", "comparison_id")
_FIELDS = frozenset((*_TEXTS, "cadence_seconds"))


def declared(capabilities: Iterable[str], descriptors: Mapping[str, Mapping[str, Any]] | None) -> dict[str, Any]:
    """The document to send. Raises ObservationRefused naming the field that breaks a rule."""
    enabled = [capabilities] if isinstance(capabilities, str) else list(capabilities)
    unknown = [name for name in enabled if name not in contract.CAPABILITIES]
    if unknown:
        message = f"unknown capabilities {unknown!r:.200}; known are {contract.CAPABILITIES}"
        raise ObservationRefused(message)
    semantics = {str(key): _descriptor(key, one) for key, one in (descriptors or {}).items()}
    if len(semantics) > contract.CONTRACT_DESCRIPTORS:
        message = f"more than {contract.CONTRACT_DESCRIPTORS} descriptors"
        raise ObservationRefused(message)
    document = {
        "version": 1,
        "recipe": "custom",
        "framework": "python",
        "framework_version": platform.python_version(),
        "method": "custom",
        "capabilities": list(dict.fromkeys(enabled)),
        "primary": None,
        "semantics": semantics,
        "requirements": [],
    }
    if len(json.dumps(document, ensure_ascii=False).encode()) > contract.CONTRACT_BYTES:
        message = f"the contract is larger than {contract.CONTRACT_BYTES} bytes"
        raise ObservationRefused(message)
    return document


def _descriptor(key: str, given: Mapping[str, Any]) -> dict[str, Any]:
    unknown = [name for name in given if name not in _FIELDS]
    if unknown:
        message = f"descriptor {key!r:.200}: unknown fields {unknown!r:.200}"
        raise ObservationRefused(message)
    for name in _TEXTS:
        if name in given and not (isinstance(given[name], str) and len(given[name]) <= contract.EVENT_TEXT_CHARS):
            message = f"descriptor {key!r:.200}: {name} has to be text of at most 512 characters"
            raise ObservationRefused(message)
    fault = _contradiction(given)
    if fault:
        message = f"descriptor {key!r:.200}: {fault}"
        raise ObservationRefused(message)
    return dict(given)


def _contradiction(given: Mapping[str, Any]) -> str:
    if given.get("direction", "neutral") not in contract.DIRECTIONS:
        return f"direction has to be one of {contract.DIRECTIONS}"
    if given.get("display", "number") not in contract.DISPLAYS:
        return f"display has to be one of {contract.DISPLAYS}"
    if given.get("unit") == "fraction" and given.get("display") != "ratio":
        return "unit=fraction needs display=ratio"
    if given.get("unit") == "percent" and given.get("display") != "percent":
        return "unit=percent needs display=percent"
    cadence = given.get("cadence_seconds", 1)
    if isinstance(cadence, bool) or not isinstance(cadence, (int, float)):
        return "cadence_seconds has to be a number"
    return "" if math.isfinite(cadence) and cadence > 0 else "cadence_seconds has to be above 0"
