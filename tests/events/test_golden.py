"""What was stored once can be read for ever: the bytes of every released shape stay what they are."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import fill

import msgspec
import pytest

from domain.events import EVENT_TYPES, Event, ObservationReported, decode, encode, tag_of
from domain.events.upcasts import UPCASTS
from tests.events.released import FULL, GROWN, MINIMAL, RELEASED

GOLDEN = Path(__file__).parent / "golden"
TAGS = {str(kind.__struct_config__.tag): kind for kind in EVENT_TYPES}

every_released = pytest.mark.parametrize(
    ("size", "event"), [pytest.param(size, event, id=f"{tag_of(event)} {size}") for size, event in RELEASED]
)


def golden_file(size: str, event: Event) -> Path:
    return GOLDEN / f"{tag_of(event)}.{size}.hex"


def golden_bytes(size: str, event: Event) -> bytes:
    path = golden_file(size, event)
    assert path.exists(), f"a new shape; once it is right, put this into {path.name}:\n{fill(encode(event).hex(), 96)}"
    return bytes.fromhex(path.read_text())


def values_at_default(event: Event) -> list[str]:
    return [
        field.name
        for field in msgspec.structs.fields(event)
        if not field.required and getattr(event, field.name) in (field.default, {}, ())
    ]


@every_released
def test_stored_bytes_are_read_as_what_was_said(size: str, event: Event):
    assert decode(tag_of(event), golden_bytes(size, event)) == event


@every_released
def test_what_is_said_is_stored_as_the_same_bytes(size: str, event: Event):
    assert encode(event) == golden_bytes(size, event)


@every_released
def test_a_payload_is_a_map_that_names_its_type_and_leaves_defaults_out(size: str, event: Event):
    stored = msgspec.msgpack.decode(golden_bytes(size, event))
    left_out = values_at_default(event)
    assert stored["type"] == tag_of(event)
    assert set(stored) == {"type", *event.__struct_fields__} - set(left_out)
    optional = [field.name for field in msgspec.structs.fields(event) if not field.required]
    if size == "full" and tag_of(event) in {tag_of(one) for one in GROWN}:
        assert set(left_out) <= set(optional)
    else:
        assert left_out == (optional if size == "minimal" else [])


@every_released
def test_fields_of_a_newer_release_are_passed_over(size: str, event: Event):
    stored = msgspec.msgpack.decode(golden_bytes(size, event))
    assert decode(tag_of(event), msgspec.msgpack.encode({**stored, "said_by_a_newer_release": [1]})) == event


def test_every_event_has_golden_bytes():
    assert sorted(tag_of(event) for event in FULL) == sorted(TAGS)
    optional = [tag for tag, kind in TAGS.items() if not all(field.required for field in msgspec.structs.fields(kind))]
    assert sorted(tag_of(event) for event in MINIMAL) == sorted(optional)
    assert {tag_of(event) for event in GROWN} <= set(optional)


def test_every_golden_file_is_of_a_shape_that_is_still_read():
    assert {path.name for path in GOLDEN.iterdir()} == {golden_file(size, event).name for size, event in RELEASED}


def test_stored_names_have_a_version_and_are_unique():
    assert len(TAGS) == len(EVENT_TYPES)
    assert [tag for tag in TAGS if not re.fullmatch(r"[a-z]+(-[a-z]+)*\.v[1-9]\d*", tag)] == []


def test_numbers_keep_their_type():
    said = next(event for event in FULL if isinstance(event, ObservationReported))
    read = decode(tag_of(said), golden_bytes("full", said))
    assert isinstance(read, ObservationReported)
    assert [type(value) for value in read.values.values()] == [str, bool, int, float]


def test_a_name_never_released_is_not_read():
    with pytest.raises(KeyError):
        decode("outcome-reported.v999", encode(FULL[0]))


def test_a_payload_of_another_type_is_not_read():
    with pytest.raises(msgspec.ValidationError):
        decode("outcome-reported.v1", encode(FULL[0]))


def test_an_old_shape_is_brought_to_the_newest_step_by_step(monkeypatch):
    def to_v2(payload: bytes) -> tuple[str, bytes]:
        old = msgspec.msgpack.decode(payload)
        return "outcome-counted.v2", msgspec.msgpack.encode({**old, "expected": int(old["planned"])})

    def to_newest(payload: bytes) -> tuple[str, bytes]:
        old = msgspec.msgpack.decode(payload)
        return "population-declared.v1", msgspec.msgpack.encode({**old, "type": "population-declared.v1"})

    monkeypatch.setitem(UPCASTS, "outcome-counted.v1", (to_v2, to_newest))
    old = {"type": "outcome-counted.v1", "run": "run-1", "attempt": 2, "round_id": "ré:1", "planned": "0"}
    assert decode("outcome-counted.v1", msgspec.msgpack.encode(old)) == next(
        event for event in MINIMAL if tag_of(event) == "population-declared.v1"
    )
