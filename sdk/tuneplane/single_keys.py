"""JSON that others wrote, refused where programs would read two things in it.

Of a key that stands twice in one object readers differ in which of the two they take, so neither is a fact.
"""

from __future__ import annotations

import json
from typing import Any

from tuneplane.foreign import Foreign


class KeyTwice(ValueError):
    """A key stands twice in one object."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {key!r:.80} stands twice in one object")
        self.key = key


def parsed(data: str | bytes) -> Foreign:
    """A JSON value; NaN and infinities may be bare. Raises ValueError: no JSON, no UTF-8, too deep, a key twice."""
    text = data.decode("utf-8") if isinstance(data, bytes) else data
    try:
        return json.loads(text, object_pairs_hook=each_key_once)
    except RecursionError:
        message = "nested too deeply"
        raise ValueError(message) from None


def each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """For `object_pairs_hook` of `json.loads`. Raises KeyTwice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise KeyTwice(key)
            seen.add(key)
    return found
