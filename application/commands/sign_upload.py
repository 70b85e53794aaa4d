"""Lets a job upload an artifact it produced."""

from __future__ import annotations

import msgspec

from application.ports.uploads import SignedUpload, Upload, UploadSigner
from domain.artifact import upload_key
from domain.errors import Refused
from domain.ids import Attempt, RunId


class PermittedUpload(msgspec.Struct, frozen=True):
    signed: SignedUpload
    path: str
    """What to register the artifact under."""


class SignUpload:
    """Raises `Refused` where it is larger than this installation takes."""

    def __init__(self, signer: UploadSigner, largest_bytes: int) -> None:
        self._signer = signer
        self._largest_bytes = largest_bytes

    def __call__(
        self, run: RunId, attempt: Attempt, *, size_bytes: int, sha256: str, content_type: str
    ) -> PermittedUpload:
        """Nothing is on record before the upload is complete and the artifact registered."""
        if size_bytes > self._largest_bytes:
            raise Refused.at("size_bytes", f"at most {self._largest_bytes:,} bytes", self._largest_bytes)
        key = upload_key(run, attempt, sha256)
        upload = Upload(key=key, size_bytes=size_bytes, sha256=sha256, content_type=content_type)
        return PermittedUpload(self._signer.sign(upload), key)
