"""A tracker's histogram as bounds and counts: what it holds exactly, nothing estimated."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tuneplane.contract import HISTOGRAM_BOUNDS, INT64_MAX
from tuneplane.moving.source import Distribution


class NotMapped(ValueError):
    """The histogram is none that can be carried."""


def distribution(name: str, step: int, ts: float, ends: Sequence[float], counts: Sequence[float]) -> Distribution:
    """Buckets that end at `ends`, the first open below, nothing above the last.

    Empty buckets at both ends go, since they say nothing that the open intervals do not; beyond 64 bounds, neighbours
    are joined, which keeps every count exact for the wider bounds. Raises NotMapped.
    """
    if len(ends) != len(counts) or not ends:
        raise NotMapped("bounds and counts of different lengths" if ends else "no buckets")
    if not all(map(math.isfinite, ends)) or any(low >= high for low, high in zip(ends, ends[1:])):
        raise NotMapped("bounds that do not increase")
    if not all(0 <= count <= INT64_MAX and float(count).is_integer() for count in counts):
        raise NotMapped("counts that are no whole numbers")
    bounds, tallies = _trimmed(list(ends), [int(count) for count in counts])
    before = len(bounds)
    size = -(-before // HISTOGRAM_BOUNDS)
    if size > 1:
        starts = range(0, before, size)
        tallies = [sum(tallies[at : at + size]) for at in starts]
        bounds = [bounds[min(at + size, before) - 1] for at in starts]
    return Distribution(name, step, ts, bounds, [*tallies, 0], before if size > 1 else 0)


def _trimmed(ends: list[float], counts: list[int]) -> tuple[list[float], list[int]]:
    """Without empty buckets at the ends; one empty bucket stays below, for it is where the values begin."""
    filled = [at for at, count in enumerate(counts) if count]
    if not filled:
        return ends[:1], counts[:1]
    first, last = max(filled[0] - 1, 0), filled[-1]
    return ends[first : last + 1], counts[first : last + 1]


def of_edges(name: str, step: int, ts: float, edges: Sequence[float], counts: Sequence[float]) -> Distribution:
    """Buckets between neighbouring `edges`, one edge more than counts. Raises NotMapped."""
    if len(edges) != len(counts) + 1:
        raise NotMapped(f"{len(edges)} edges for {len(counts)} counts")
    return distribution(name, step, ts, edges[1:], counts)
