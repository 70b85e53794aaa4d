"""One series key across runs: what a table of jobs shows of it, without opening every run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from domain.ids import RunId

MOST_KEYS = 50_000
"""Distinct keys that are looked through for a search."""


class SeriesValues(msgspec.Struct, frozen=True, gc=False):
    """One series of one run, of the surviving lineage; every value is finite."""

    min: float
    max: float
    mean: float
    last: float
    """Value at the greatest step."""


class SeriesAcross(Protocol):
    """What may be asked of one family about all runs at once."""

    def across(self, key: str, runs: Sequence[RunId] | None = None) -> dict[RunId, SeriesValues]:
        """What `summaries` says of `key` in each of `runs`, in all runs without.

        Runs that reported no finite point of it are left out.
        """
        ...

    def known_keys(self, *, q: str = "", limit: int) -> list[str]:
        """Keys that any run opened, in code-point order, those that contain `q` (any case, literally)."""
        ...
