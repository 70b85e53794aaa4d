"""A run admits at most 4,096 series; a batch that would open one more is refused whole, by name.

Source: SPEC "A run admits at most 4,096 scalar series", DESIGN "Identity is the rule".
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tuneplane.contract import SERIES_PER_RUN

from domain.errors import FieldFault, SeriesLimitReached


def check(known: Collection[str], new: Sequence[str]) -> None:
    """Refuses `new` keys, in the order they came, where the run has no room for all of them."""
    room = SERIES_PER_RUN - len(known)
    if len(new) <= room:
        return
    first, number = new[max(room, 0)], max(SERIES_PER_RUN, len(known)) + 1
    message = f"series {first!r} would be number {number:,} of this run; it may have {SERIES_PER_RUN:,}"
    raise SeriesLimitReached(
        message + ". The whole batch was refused; keep source and bucket dimensions bounded.",
        FieldFault("points", message, SERIES_PER_RUN),
    )
