"""Signed addresses through which a job uploads one artifact itself."""

from __future__ import annotations

from typing import Protocol

import msgspec

from domain.ids import Micros


class Upload(msgspec.Struct, frozen=True, kw_only=True):
    """Exactly what may be uploaded."""

    key: str
    """In the object store, made by the server."""
    size_bytes: int
    sha256: str
    """Of the whole body, hex."""
    content_type: str


class SignedUpload(msgspec.Struct, frozen=True, kw_only=True):
    url: str
    headers: dict[str, str]
    """To be sent as they are; they are signed."""
    expires_at: Micros

    def __repr__(self) -> str:
        return f"SignedUpload(expires_at={self.expires_at})"


class UploadSigner(Protocol):
    """An address takes one body of the named length, digest and type, and only where nothing is yet."""

    def sign(self, upload: Upload) -> SignedUpload:
        """An address for a PUT, good for 5 minutes. Raises `TryAgain` where the store is away."""
        ...
