"""What an S3 store may do to us: be away, refuse, or hold what belongs to others."""

import hashlib

import pytest

from adapters.s3.client import Bucket
from adapters.s3.object_store import S3ObjectStore
from domain.errors import TryAgain
from tests.seaweed import REGION

BODY = b"{}"
DIGEST = hashlib.sha256(BODY).hexdigest()


def everything(store: S3ObjectStore):
    """One call of each method."""
    return (
        lambda: store.put("a", BODY, DIGEST),
        lambda: store.get("a"),
        lambda: store.delete("a"),
        lambda: store.stat("a"),
        lambda: list(store.keys("")),
    )


def test_a_store_that_is_away_asks_to_come_again_and_names_no_place(s3):
    away = S3ObjectStore(Bucket("secret-bucket", endpoint="http://127.0.0.1:9", region=REGION))
    for call in everything(away):
        with pytest.raises(TryAgain) as told:
            call()
        assert "secret-bucket" not in told.value.detail
        assert "127.0.0.1" not in told.value.detail


def test_wrong_credentials_ask_to_come_again(s3, bucket, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    wrong = S3ObjectStore(Bucket(bucket.name, endpoint=s3.endpoint, region=REGION))
    for call in everything(wrong)[:2]:
        with pytest.raises(TryAgain, match="refused"):
            call()


def test_what_lies_beside_the_prefix_is_not_ours(s3, bucket):
    store = S3ObjectStore(bucket)
    store.put("a", BODY, DIGEST)
    client = s3.client()
    beside = bucket.prefix.replace("test-", "beside-")
    client.put_object(Bucket=bucket.name, Key=f"{beside}b", Body=BODY)
    assert [one.key for one in store.keys("")] == ["a"]
    for prefix, key in ((bucket.prefix, "a"), (beside, "b")):
        found = client.list_objects_v2(Bucket=bucket.name, Prefix=prefix)["Contents"]
        assert [one["Key"] for one in found] == [prefix + key]
    client.close()


def test_more_keys_than_one_page_come_all(bucket):
    store = S3ObjectStore(bucket)
    for number in range(1_005):
        store.put(f"k/{number:04}", BODY, DIGEST)
    assert sorted(one.key for one in store.keys("k/")) == [f"k/{number:04}" for number in range(1_005)]
