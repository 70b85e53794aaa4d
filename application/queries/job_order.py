"""The order of the table of jobs: by one column, what is unknown last both ways, newest first among equals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
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
            return (True, _folded(cell)) if cell else None
    return (False, float(cell))


def ordered(numbers: Iterable[int], cells: Sequence[Cell], *, descending: bool) -> list[int]:
    """Jobs by their numbers; `cells` by number."""
    counts: list[tuple[float, int]] = []
    texts: list[tuple[str, int]] = []
    unknown: list[int] = []
    for number in sorted(numbers, reverse=True):
        cell = cells[number]
        if isinstance(cell, str):
            texts.append((cell.casefold(), number))
        elif isinstance(cell, int | float):
            counts.append((cell, number))
        elif (known := rank(cell)) is not None:
            texts.append((str(known[1]), number))
        else:
            unknown.append(number)
    # Sorting is stable, reversed too: newest first among equals.
    counts.sort(key=itemgetter(0), reverse=descending)
    texts.sort(key=itemgetter(0), reverse=descending)
    known_ones = (*texts, *counts) if descending else (*counts, *texts)
    return [number for _, number in known_ones] + unknown


@lru_cache(maxsize=4096)
def _folded(texts: tuple[str, ...]) -> str:
    """Teams use the same tags again and again."""
    return ", ".join(texts).casefold()
