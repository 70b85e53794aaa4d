"""JSON objects in which a key stands twice: readers differ in which of the two they take, so neither is a fact."""

from __future__ import annotations

from typing import Any


def each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """For `object_pairs_hook` of `json.loads`. Raises ValueError for a key that stands twice in one object."""
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                message = f"the key {key!r:.80} stands twice in one object"
                raise ValueError(message)
            seen.add(key)
    return found
