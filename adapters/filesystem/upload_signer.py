"""Addresses of this server that take one body into the folder of bodies, signed by this server."""

from __future__ import annotations

import functools
import hashlib
import hmac
import time
from collections.abc import Callable
from urllib.parse import urlencode

from application.ports.uploads import SignedUpload, Upload
from domain.ids import Micros

GOOD_FOR_SECONDS = 300
ROUTE = "/api/uploads"
DIGEST_HEADER = "X-TunePlane-SHA256"


class FilesystemUploadSigner:
    """See `application/ports/uploads.py`."""

    def __init__(
        self, public_address: str, secret: Callable[[], bytes], clock: Callable[[], float] = time.time
    ) -> None:
        """`secret` answers the same in every process of an installation; it may wait for a database."""
        self._public_address = public_address
        self._secret = functools.cache(secret)
        self._clock = clock

    def sign(self, upload: Upload) -> SignedUpload:
        expires = int(self._clock()) + GOOD_FOR_SECONDS
        query = urlencode({"expires": expires, "signature": self._signature(upload, expires)})
        return SignedUpload(
            url=f"{self._public_address}{ROUTE}/{upload.key}?{query}",
            headers={
                "Content-Type": upload.content_type,
                "Content-Length": str(upload.size_bytes),
                DIGEST_HEADER: upload.sha256,
                "If-None-Match": "*",
            },
            expires_at=Micros(expires * 1_000_000),
        )

    def permits(self, upload: Upload, expires: int, signature: str) -> bool:
        """Whether this server signed exactly this upload, and its time has not passed."""
        good = hmac.compare_digest(self._signature(upload, expires).encode(), signature.encode("utf-8", "replace"))
        return good and self._clock() < expires

    def _signature(self, upload: Upload, expires: int) -> str:
        parts = ("PUT", upload.key, upload.size_bytes, upload.sha256, upload.content_type, expires)
        texts = [str(part).encode() for part in parts]
        message = b"".join(f"{len(text)}:".encode() + text for text in texts)
        return hmac.new(self._secret(), message, hashlib.sha256).hexdigest()
