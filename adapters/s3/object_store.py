"""Bodies in one S3 bucket: each put whole, with its SHA-256, and only where nothing is yet."""

from __future__ import annotations

import base64
import contextlib
import hashlib
from collections.abc import Iterator
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from adapters.s3.client import Bucket
from application.ports.object_store import StoredObject
from domain.errors import TryAgain

_PIECE_BYTES = 65_536
_ABSENT = frozenset({"404", "NoSuchKey", "NotFound"})
_TAKEN = frozenset({"412", "PreconditionFailed"})
_OTHER_BODY = frozenset({"BadDigest", "XAmzContentChecksumMismatch"})


class S3ObjectStore:
    """See `application/ports/object_store.py`. Any number of processes may share the bucket."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    def put(self, key: str, body: bytes, sha256: str) -> None:
        digest = base64.b64encode(bytes.fromhex(sha256)).decode()
        with asking_again():
            try:
                answer = self._bucket.client.put_object(
                    **self._at(key),
                    Body=body,
                    ContentLength=len(body),
                    ContentType="application/octet-stream",
                    ChecksumSHA256=digest,
                    IfNoneMatch="*",
                )
            except ClientError as error:
                # A key is made of the digest of its body: what is there is the same.
                if _code(error) in _TAKEN:
                    return
                if _code(error) in _OTHER_BODY:
                    raise ValueError("the body is not the one with this digest") from error
                raise
        if answer.get("ChecksumSHA256", digest) != digest:
            self.delete(key)
            raise TryAgain("The object store did not keep what it was given. Repeat it later.")

    def get(self, key: str) -> bytes | None:
        with asking_again():
            try:
                body: bytes = self._bucket.client.get_object(**self._at(key))["Body"].read()
            except ClientError as error:
                if _code(error) in _ABSENT:
                    return None
                raise
        return body

    def read(self, key: str) -> Iterator[bytes] | None:
        with asking_again():
            try:
                body = self._bucket.client.get_object(**self._at(key))["Body"]
            except ClientError as error:
                if _code(error) in _ABSENT:
                    return None
                raise
        return _pieces(body)

    def delete(self, key: str) -> None:
        with asking_again():
            self._bucket.client.delete_object(**self._at(key))

    def stat(self, key: str) -> StoredObject | None:
        with asking_again():
            try:
                found = self._bucket.client.head_object(**self._at(key), ChecksumMode="ENABLED")
            except ClientError as error:
                if _code(error) in _ABSENT:
                    return None
                raise
        digest = _hex(found.get("ChecksumSHA256", ""))
        return StoredObject(key, found["ContentLength"], found["LastModified"].timestamp(), digest)

    def keys(self, prefix: str) -> Iterator[StoredObject]:
        pages = self._bucket.client.get_paginator("list_objects_v2")
        with asking_again():
            for page in pages.paginate(Bucket=self._bucket.name, Prefix=self._bucket.prefix + prefix):
                for one in page.get("Contents", ()):
                    key = one["Key"].removeprefix(self._bucket.prefix)
                    yield StoredObject(key, one["Size"], one["LastModified"].timestamp())

    def tidy(self, before: float) -> int:
        """A put is whole or nothing here, and nothing is ever put in parts."""
        del before
        return 0

    def _at(self, key: str) -> dict[str, Any]:
        return {"Bucket": self._bucket.name, "Key": self._bucket.prefix + key}


def _hex(digest: str) -> str | None:
    """A digest as S3 writes it; None where there is none, or it is none of the whole body."""
    try:
        raw = base64.b64decode(digest, validate=True)
    except ValueError:
        return None
    return raw.hex() if len(raw) == hashlib.sha256().digest_size else None


def _pieces(body: Any) -> Iterator[bytes]:  # noqa: ANN401 - boto3 comes without types
    with contextlib.closing(body), asking_again():
        yield from body.iter_chunks(_PIECE_BYTES)


@contextlib.contextmanager
def asking_again() -> Iterator[None]:
    """Inside, a store that is away, slow or refuses becomes `TryAgain`; the detail names neither bucket nor key."""
    try:
        yield
    except ClientError as error:
        raise TryAgain(f"The object store refused ({_code(error)}). Repeat it later.") from error
    except BotoCoreError as error:
        raise TryAgain(f"The object store is away ({type(error).__name__}). Repeat it later.") from error


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", "unknown"))
