"""Which names may be series of this run; a bad one would have its whole batch refused."""

from __future__ import annotations

import unicodedata

from tuneplane.contract import METRIC_KEY_CHARS, SERIES_PER_RUN

_REMEMBERED_BAD = 4096


class SeriesKeys:
    """Decides once for each name. Belongs to one thread."""

    def __init__(self, limit: int = SERIES_PER_RUN) -> None:
        self._limit = limit
        self._bytes: dict[str, int] = {}
        self._bad: dict[str, str] = {}

    def size_bytes(self, key: str) -> int:
        """Length of an admitted key in UTF-8; 0 where it is not admitted (see `why_not`)."""
        known = self._bytes.get(key)
        if known is not None:
            return known
        if key in self._bad:
            return 0
        reason = self._fault(key)
        if reason is None:
            self._bytes[key] = size = len(key.encode())
            return size
        if len(self._bad) < _REMEMBERED_BAD and len(key) <= METRIC_KEY_CHARS:
            self._bad[key] = reason
        return 0

    def why_not(self, key: str) -> str:
        """Why a key is not admitted, in words."""
        return self._bad.get(key) or self._fault(key) or "admitted"

    def _fault(self, key: str) -> str | None:
        if not 1 <= len(key) <= METRIC_KEY_CHARS:
            return f"a key of {len(key)} characters; 1 to {METRIC_KEY_CHARS} are allowed"
        if not key.isprintable() and any(unicodedata.category(c) in ("Cc", "Cs") for c in key):
            return f"control characters in key {key!r:.200}"
        if len(self._bytes) >= self._limit:
            return f"more than {self._limit} series, first {key[:200]!r}"
        return None
