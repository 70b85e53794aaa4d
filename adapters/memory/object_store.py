"""Bodies in memory, for tests."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator

from application.ports.object_store import StoredObject

_PIECE_BYTES = 64 * 1024


class MemoryObjectStore:
    """See `application/ports/object_store.py`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bodies: dict[str, tuple[bytes, float, str]] = {}

    def put(self, key: str, body: bytes, sha256: str) -> None:
        if hashlib.sha256(body).hexdigest() != sha256:
            raise ValueError("the body is not the one with this digest")
        with self._lock:
            self._bodies.setdefault(key, (body, time.time(), sha256))

    def get(self, key: str) -> bytes | None:
        with self._lock:
            found = self._bodies.get(key)
        return found and found[0]

    def read(self, key: str) -> Iterator[bytes] | None:
        body = self.get(key)
        return None if body is None else (body[at : at + _PIECE_BYTES] for at in range(0, len(body), _PIECE_BYTES))

    def delete(self, key: str) -> None:
        with self._lock:
            self._bodies.pop(key, None)

    def stat(self, key: str) -> StoredObject | None:
        with self._lock:
            found = self._bodies.get(key)
        return found and StoredObject(key, len(found[0]), found[1], found[2])

    def keys(self, prefix: str) -> Iterator[StoredObject]:
        with self._lock:
            bodies = sorted(self._bodies.items())
        for key, (body, stored_at, _) in bodies:
            if key.startswith(prefix):
                yield StoredObject(key, len(body), stored_at)

    def tidy(self, before: float) -> int:
        del before
        return 0
