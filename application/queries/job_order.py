"""The order of the table of jobs: by one column, what is unknown last both ways, newest first among equals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
    newest_first = sorted(numbers, reverse=True)
    ranks = {number: rank(cells[number]) for number in newest_first}
    known = [(one, number) for number in newest_first if (one := ranks[number]) is not None]
    # Sorting is stable, reversed too.
    known.sort(key=_of, reverse=descending)
    return [number for _, number in known] + [number for number in newest_first if ranks[number] is None]


def _of(ranked: tuple[Rank, int]) -> Rank:
    return ranked[0]
