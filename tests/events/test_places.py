"""A place is an identity for ever: were one made otherwise, a retry across an upgrade would be recorded twice."""

from __future__ import annotations

from pathlib import Path

from tests.domain.places import PLACES

KNOWN = Path(__file__).parent / "places.txt"


def test_every_kind_of_report_is_placed_where_it_always_was():
    found = []
    for name, (place, event, _) in PLACES.items():
        placement = place(event)
        found.append(f"{placement.stream} {placement.version or 'next'} {name}")
    assert found == KNOWN.read_text().splitlines()
