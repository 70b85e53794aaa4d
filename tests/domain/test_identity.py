"""An event's place is its identity: some of its fields make it, and none of the others does."""

from __future__ import annotations

from itertools import combinations
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.ids import stream_id
from domain.rules.same_report import same_report
from tests.domain.places import PLACES
from tests.factories import a_metrics_batch, an_outcome

FIELDS = [
    pytest.param(name, field, id=f"{name}: {field}")
    for name, (_, event, _) in PLACES.items()
    for field in event.__struct_fields__
]


def other(value: Any) -> Any:
    """A value of the same kind that is not equal; a number for None."""
    match value:
        case int() | float():
            return value + 1
        case str() | bytes():
            return value * 2
        case tuple():
            return (*value, *(value[-1:] or ("x",)))
        case dict():
            return {**value, "other": 1}
        case msgspec.Struct():
            first = value.__struct_fields__[0]
            return msgspec.structs.replace(value, **{first: other(getattr(value, first))})
    return 1


def place_of(name: str, /, **changes: Any) -> tuple[UUID, int | None]:
    place, event, _ = PLACES[name]
    found = place(msgspec.structs.replace(event, **changes))
    return found.stream, found.version


@pytest.mark.parametrize(("name", "field"), FIELDS)
def test_a_place_is_made_of_the_identity_and_of_nothing_else(name: str, field: str):
    _, event, identity = PLACES[name]
    moved = place_of(name, **{field: other(getattr(event, field))}) != place_of(name)
    # More nodes are other nodes; see test_environment.
    assert moved is (field in identity.split() or (name, field) == ("nodes", "nodes"))


@pytest.mark.parametrize("name", PLACES)
def test_what_is_placed_is_the_event_itself(name: str):
    place, event, _ = PLACES[name]
    assert place(event).event == event


def test_no_two_kinds_of_report_share_a_stream():
    streams = {name: place_of(name)[0] for name in PLACES}
    shared = [pair for pair in combinations(PLACES, 2) if streams[pair[0]] == streams[pair[1]]]
    assert shared == []


@given(st.lists(st.lists(st.text(alphabet="0123:ab", max_size=4), max_size=4), unique_by=tuple, min_size=2))
@settings(max_examples=200)
def test_no_two_lists_of_parts_share_a_stream(lists: list[list[str]]):
    assert len({stream_id(*parts) for parts in lists}) == len(lists)


@pytest.mark.parametrize(
    ("one", "two"),
    [(["ab", "c"], ["a", "bc"]), (["1:a"], ["", "a"]), (["a"], ["1:a"]), ([], [""]), (["1", "1:1"], ["11:1"])],
)
def test_length_prefixes_are_no_part_of_a_name(one: list[str], two: list[str]):
    assert stream_id(*one) != stream_id(*two)


def test_only_the_reporters_clock_may_differ_between_a_report_and_its_repeat():
    assert same_report(an_outcome(ts="2026-01-01T00:00:00Z"), an_outcome(ts="2026-01-01T00:00:09Z"))
    assert same_report(an_outcome(ts=None), an_outcome(ts="2026-01-01T00:00:09Z"))
    assert not same_report(an_outcome(ts="x"), an_outcome(ts="x", training_eligible=True))
    assert not same_report(an_outcome(), a_metrics_batch())
    assert same_report(a_metrics_batch(), a_metrics_batch())
    assert not same_report(a_metrics_batch(), a_metrics_batch(points=2))
