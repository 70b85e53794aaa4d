"""Presigned uploads against a real S3 server: exactly the body that was permitted, once, and nothing else."""

import hashlib
import http.client
from urllib.parse import urlsplit

import pytest

from adapters.s3.object_store import S3ObjectStore
from adapters.s3.upload_signer import GOOD_FOR_SECONDS, S3UploadSigner
from application.ports.uploads import Upload

BODY = b"weights"


def upload(body: bytes = BODY, key: str = "artifacts/r/0/a") -> Upload:
    return Upload(
        key=key,
        size_bytes=len(body),
        sha256=hashlib.sha256(body).hexdigest(),
        content_type="application/octet-stream",
    )


def send(url: str, body: bytes, headers: dict[str, str], method: str = "PUT") -> int:
    """Status of the answer."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=30)
    try:
        connection.request(method, f"{parts.path}?{parts.query}", body, headers)
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.fixture
def signed(bucket):
    return S3UploadSigner(bucket, clock=lambda: 1_000.0).sign(upload())


@pytest.fixture
def store(bucket):
    return S3ObjectStore(bucket)


def test_what_was_permitted_arrives_as_it_is(signed, store):
    assert send(signed.url, BODY, signed.headers) == 200
    assert store.get(upload().key) == BODY
    assert signed.expires_at == (1_000 + GOOD_FOR_SECONDS) * 1_000_000


def test_an_address_is_good_once(signed, store):
    assert send(signed.url, BODY, signed.headers) == 200
    assert send(signed.url, BODY, signed.headers) == 412
    assert store.get(upload().key) == BODY


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        (b"WEIGHTS", {}),
        (b"weights and more", {"Content-Length": "16"}),
        (BODY, {"Content-Type": "text/html"}),
        (BODY, {"x-amz-checksum-sha256": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}),
        (BODY, {"If-None-Match": ""}),
    ],
    ids=["other bytes", "longer", "other type", "other digest", "over what is there"],
)
def test_any_other_body_is_refused(signed, store, body, changed):
    assert send(signed.url, body, {**signed.headers, **changed}) in {400, 403}
    assert store.stat(upload().key) is None


def test_the_length_that_was_permitted_is_the_only_one_whatever_the_digest(bucket, store):
    longer = Upload(
        key=upload().key,
        size_bytes=len(BODY) + 1,
        sha256=upload().sha256,
        content_type="application/octet-stream",
    )
    signed = S3UploadSigner(bucket).sign(longer)
    assert send(signed.url, BODY, {**signed.headers, "Content-Length": str(len(BODY))}) == 403
    assert store.stat(upload().key) is None


def test_another_key_or_method_or_signature_is_refused(signed, store):
    assert send(signed.url.replace("/r/0/a?", "/r/0/b?"), BODY, signed.headers) == 403
    assert send(signed.url, b"", {}, "DELETE") == 403
    assert send(signed.url, b"", {}, "GET") == 403
    assert send(signed.url[:-1] + ("0" if signed.url[-1] != "0" else "1"), BODY, signed.headers) == 403
    assert list(store.keys("")) == []


def test_no_repr_shows_the_address(signed):
    assert signed.url not in repr(signed)
