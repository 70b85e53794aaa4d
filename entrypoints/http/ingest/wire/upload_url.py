"""`artifact/upload-url`: asks for a signed address to upload one artifact to."""

from __future__ import annotations

from typing import Annotated

import msgspec
from tuneplane.contract import SMALL_BODY_BYTES

from entrypoints.http.ingest.body import Body, Report
from entrypoints.http.ingest.wire.artifact import Count, Digest, Kind

CONTENT_TYPE_PATTERN = r"\A[A-Za-z0-9!#$&^_.+-]{1,100}/[A-Za-z0-9!#$&^_.+-]{1,100}\Z"


class UploadUrl(Report, frozen=True, kw_only=True):
    kind: Kind
    filename: Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
    """For people; it names no file of the server."""
    size_bytes: Count
    sha256: Digest
    step: Count | None = None
    content_type: Annotated[str, msgspec.Meta(pattern=CONTENT_TYPE_PATTERN)] | None = None


class UploadPermission(msgspec.Struct, frozen=True, kw_only=True):
    """Where to PUT the bytes, with these headers as they are, before `expires_at`."""

    upload_url: str
    method: str
    headers: dict[str, str]
    path: str
    """What to register the artifact under."""
    expires_at: str
    uploaded: bool
    """These bytes are here already: register the artifact without a PUT."""


BODY = Body(UploadUrl, SMALL_BODY_BYTES)
