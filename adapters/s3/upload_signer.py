"""Presigned addresses of the bucket, each for one body: its length, digest and type are signed, and that it is new."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable

from adapters.s3.client import Bucket
from adapters.s3.object_store import asking_again
from application.ports.uploads import SignedUpload, Upload
from domain.ids import Micros

GOOD_FOR_SECONDS = 300


class S3UploadSigner:
    """See `application/ports/uploads.py`."""

    def __init__(self, bucket: Bucket, clock: Callable[[], float] = time.time) -> None:
        self._bucket = bucket
        self._clock = clock

    def sign(self, upload: Upload) -> SignedUpload:
        digest = base64.b64encode(bytes.fromhex(upload.sha256)).decode()
        expires = int(self._clock()) + GOOD_FOR_SECONDS
        with asking_again():
            url = self._bucket.client.generate_presigned_url(
                "put_object",
                Params={
                    "Bucket": self._bucket.name,
                    "Key": self._bucket.prefix + upload.key,
                    "ContentLength": upload.size_bytes,
                    "ContentType": upload.content_type,
                    "ChecksumSHA256": digest,
                    "IfNoneMatch": "*",
                },
                ExpiresIn=GOOD_FOR_SECONDS,
            )
        return SignedUpload(
            url=url,
            headers={
                "Content-Type": upload.content_type,
                "Content-Length": str(upload.size_bytes),
                "x-amz-checksum-sha256": digest,
                "If-None-Match": "*",
            },
            expires_at=Micros(expires * 1_000_000),
        )
