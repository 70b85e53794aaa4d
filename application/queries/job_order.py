"""The order of the table of jobs: by one column, what is unknown last both ways, newest first among equals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter

import msgspec

from application.queries.job_condition import Cell

Rank = tuple[bool, float | str]
"""Numbers before texts."""


class Place(msgspec.Struct, frozen=True, array_like=True):
    """Where a job stands in an order."""

    rank: Rank | None
    """None: what it is sorted by is unknown."""
    number: int
    """Its number in order of creation."""

    def behind(self, other: Place, *, descending: bool) -> bool:
        """Whether this one comes after `other`."""
        if self.rank == other.rank:
            return self.number < other.number
        if self.rank is None or other.rank is None:
            return self.rank is None
        return self.rank < other.rank if descending else self.rank > other.rank


def rank(cell: Cell) -> Rank | None:
    """What a cell is sorted by; texts without regard to case."""
    match cell:
        case None:
            return None
        case str():
            return (True, cell.casefold())
        case tuple():
            return (True, ", ".join(cell).casefold()) if cell else None
    return (False, float(cell))


def ordered(numbers: Iterable[int], cells: Sequence[Cell], *, descending: bool) -> list[int]:
    """Jobs by their numbers; `cells` by number."""
    counts: list[tuple[float, int]] = []
    texts: list[tuple[str, int]] = []
    unknown: list[int] = []
    for number in sorted(numbers, reverse=True):
        match cells[number]:
            case str() as text:
                texts.append((text.casefold(), number))
            case int() | float() as count:
                counts.append((count, number))
            case cell if (known := rank(cell)) is not None:
                texts.append((str(known[1]), number))
            case _:
                unknown.append(number)
    # Sorting is stable, reversed too: newest first among equals.
    counts.sort(key=itemgetter(0), reverse=descending)
    texts.sort(key=itemgetter(0), reverse=descending)
    known_ones = (*texts, *counts) if descending else (*counts, *texts)
    return [number for _, number in known_ones] + unknown
