"""Two lists of records side by side: which record of one stands against which of the other."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

import msgspec

from application.ports.records import R, RecordReader, RecordTable, Scalar, Where

Pair = tuple[Scalar, Scalar]
"""What the compared field holds on the left and on the right; None where that side has no record."""


class Pairing(msgspec.Struct, frozen=True, kw_only=True):
    """Which records stand against each other."""

    left: tuple[Where, ...]
    right: tuple[Where, ...]
    by: str
    """A key field that no two records of one side have alike."""
    of: str
    """The field that is compared: a column that is never None."""


class PairedItem(msgspec.Struct, frozen=True):
    by: Scalar
    left: Scalar
    """None, as in `Pair`, where that side has no record."""
    right: Scalar


class Paired(msgspec.Struct, frozen=True, kw_only=True):
    counts: dict[Pair, int]
    """How often each pair is there, of everything that is paired; those that are nowhere are left out."""
    items: list[PairedItem]
    """In order of the field they are paired by."""


class PairReader(RecordReader, Protocol):
    """A reader that also brings records together."""

    def pairs(
        self,
        table: RecordTable[R],
        pairing: Pairing,
        *,
        among: Collection[Pair] | None = None,
        after: Scalar = None,
        limit: int,
    ) -> Paired:
        """Counts all, and lists at most `limit` behind `after` whose pair is `among` those (None: any pair)."""
        ...
