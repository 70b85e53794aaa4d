"""Which stretch of each attempt's points a question about a series is about."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from tuneplane.contract import INT64_MAX

from domain.ids import Attempt
from domain.rules import surviving_lineage


class Stretch(msgspec.Struct, frozen=True):
    """Points of one attempt with low <= step <= high."""

    attempt: Attempt
    low: int
    high: int

    @property
    def whole(self) -> bool:
        """Whether no point is left out."""
        return self.low == 0 and self.high == INT64_MAX


def stretches(
    first_steps: Mapping[Attempt, int],
    attempt: Attempt | None,
    first_step: int | None = None,
    last_step: int | None = None,
) -> list[Stretch]:
    """One stretch an attempt, in order of step; empty ones are left out.

    `first_steps`: the smallest step each attempt reported, finite or not. `attempt` None: the surviving lineage.
    `first_step` and `last_step` are inclusive; None is no bound.
    """
    low = max(first_step or 0, 0)
    high = INT64_MAX if last_step is None else min(last_step, INT64_MAX)
    if attempt is not None:
        return [Stretch(attempt, low, high)] if attempt in first_steps and low <= high else []
    result = []
    for each, bound in sorted(surviving_lineage.bounds(first_steps).items()):
        end = high if bound is None else min(high, bound - 1)
        if max(low, first_steps[each]) <= end:
            result.append(Stretch(each, low, end))
    return result
