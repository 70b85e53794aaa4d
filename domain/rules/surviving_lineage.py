"""After a restart, the later attempt's points replace what it did again; what came before them survives.

For one series: a later attempt's first step supersedes earlier attempts' points at that step and after. Nothing is
deleted; the superseded points stay with their attempt. Source: RULINGS "Surviving lineage".
"""

from __future__ import annotations

from collections.abc import Mapping

from domain.ids import Attempt


def bounds(first_steps: Mapping[Attempt, int]) -> dict[Attempt, int | None]:
    """For each attempt that reported the series, the step before which its points survive.

    `first_steps`: the smallest step each attempt reported. None: all of the attempt's points survive. A bound at or
    below an attempt's own first step leaves it none.
    """
    result: dict[Attempt, int | None] = {}
    bound: int | None = None
    for attempt in sorted(first_steps, reverse=True):
        result[attempt] = bound
        first = first_steps[attempt]
        bound = first if bound is None else min(bound, first)
    return result
