"""Paths, percent-decoded exactly once, with `%2F` inside a segment told apart from the `/` between segments.

The server below hands paths over decoded, where the two are one. So paths are decoded here, from what was sent; in a
segment a slash becomes a character that no name can hold, and handlers turn it back. Source: RULINGS "Evaluation".
"""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

_INNER_SLASH = "\x1f"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def routed(raw_path: bytes) -> str | None:
    """The path to route by; None where it is no UTF-8 or holds control characters: there is nothing there.

    Some servers leave the query in `raw_path`; a `?` of the path itself comes encoded.
    """
    path = raw_path.partition(b"?")[0]
    try:
        segments = [unquote_to_bytes(segment).decode() for segment in path.split(b"/")]
    except UnicodeDecodeError:
        return None
    if any(_CONTROL.search(segment) for segment in segments):
        return None
    return "/".join(segment.replace("/", _INNER_SLASH) for segment in segments)


def name_of(segment: str) -> str:
    """The name that a segment of a routed path stands for."""
    return segment.replace(_INNER_SLASH, "/")
