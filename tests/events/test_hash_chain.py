"""The chain is the interface of every auditor: what is hashed, in which order, with which lengths."""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import UUID

import pytest

from application.event_log.hash_chain import GENESIS, chained
from domain.ids import Micros, Position

STREAM = UUID("12345678-1234-5678-1234-567812345678")
FIRST: tuple[Any, ...] = (
    GENESIS,
    1,
    1_767_225_600_000_001,
    STREAM,
    1,
    "outcome-reported.v1",
    hashlib.sha256(b"one").digest(),
)
SECOND_DIGEST = hashlib.sha256(b"two").digest()


def by_hand(previous: bytes, position: int, time: int, stream: UUID, version: int, tag: str, digest: bytes) -> bytes:
    """Each field behind its length in four bytes, numbers as eight, all big-endian."""
    numbers = [number.to_bytes(8, "big", signed=True) for number in (position, time, version)]
    fields = [previous, numbers[0], numbers[1], stream.bytes, numbers[2], tag.encode(), digest]
    return hashlib.sha256(b"".join(len(field).to_bytes(4, "big") + field for field in fields)).digest()


def test_golden_vectors():
    first = chained(*FIRST)
    second = chained(first, Position(2), Micros(FIRST[2] + 1), STREAM, 2, "lifecycle-reported.v1", SECOND_DIGEST)
    assert first.hex() == "bf952e5c8c6cb274da5ed16c9e7053f455d22bf6f688435245e7549eede7c570"
    assert second.hex() == "5f664cf5422906f03f4c6ac4a0ae4767839afa8bedf27bcb6202822c2c96be3a"


def test_the_chain_starts_from_zeros():
    assert bytes(32) == GENESIS


@pytest.mark.parametrize("position", [1, 2**31, 2**63 - 1])
@pytest.mark.parametrize("tag", ["x.v1", "trajectory-stored.v10", "é.v1"])
def test_it_is_what_a_few_lines_say(position, tag):
    fields: tuple[Any, ...] = (hashlib.sha256(b"before").digest(), position, -1, STREAM, 7, tag, SECOND_DIGEST)
    assert chained(*fields) == by_hand(*fields)


@pytest.mark.parametrize("field", range(7))
def test_every_field_counts(field):
    changed: list[Any] = [SECOND_DIGEST, 2, 3, UUID(int=4), 5, "population-declared.v1", SECOND_DIGEST]
    fields: list[Any] = list(FIRST)
    fields[field] = changed[field]
    assert chained(*fields) != chained(*FIRST)
