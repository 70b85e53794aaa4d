"""Whether two versions of a projection say the same, and if not, where they differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from application.ports.projection_store import Progress, ProjectionStore
from application.projections.versions import serving_version, spare_version
from domain.ids import Position

MOST_NAMED = 20
"""Differences that are named; the rest is counted."""

Difference = Literal["left only", "right only", "differs"]
Item = tuple[str, bytes]


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """`left` serves, `right` might."""

    left: int
    right: int
    position: Position
    """At which both were compared."""
    compared: int
    """Things that either of them holds."""
    differences: int
    named: tuple[tuple[str, Difference], ...]
    """The first of them."""


def compare_projection(store: ProjectionStore, name: str, progress: Progress, version: int | None = None) -> Comparison:
    """Compares the version that serves with `version`, by default the newest other one, both at one position."""
    left = serving_version(store, name).version
    right = spare_version(store, name, version).version
    for one in (left, right):
        store.fill(name, one, progress)
    compared = differences = 0
    named: list[tuple[str, Difference]] = []
    with store.contents(name, left, right) as contents:
        for thing, difference in _merged(contents.left(), contents.right()):
            compared += 1
            if difference is not None:
                differences += 1
                named += [(thing, difference)] if len(named) < MOST_NAMED else []
        return Comparison(
            left=left,
            right=right,
            position=contents.position,
            compared=compared,
            differences=differences,
            named=tuple(named),
        )


def _merged(left: Iterator[Item], right: Iterator[Item]) -> Iterator[tuple[str, Difference | None]]:
    """Every name that is on either side, in order, and how the sides differ there."""
    one, other = next(left, None), next(right, None)
    while one is not None or other is not None:
        if other is None or (one is not None and one[0] < other[0]):
            yield _name(one), "left only"
            one = next(left, None)
        elif one is None or other[0] < one[0]:
            yield _name(other), "right only"
            other = next(right, None)
        else:
            yield one[0], None if one[1] == other[1] else "differs"
            one, other = next(left, None), next(right, None)


def _name(item: Item | None) -> str:
    return "" if item is None else item[0]
