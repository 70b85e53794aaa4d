"""Which bodies of the object store are still wanted, and which a sweep removes.

Source: DESIGN "Bodies" (body first, event second; orphans are swept), SPEC "They expire after seven days".
"""

from __future__ import annotations

from typing import Literal

from domain.ids import Micros

Fate = Literal["kept", "expired", "deleted", "orphan", "young"]
YOUNG_MICROS = Micros(3_600_000_000)
"""A body that nobody knows is left alone for an hour: its event may be on its way."""


def of_trajectory(*, expires_at: Micros, deleted: bool, now: Micros) -> Fate:
    """What becomes of the body of a trajectory that is on record."""
    if deleted:
        return "deleted"
    return "expired" if now >= expires_at else "kept"


def of_unknown(*, stored_at: Micros, now: Micros) -> Fate:
    """What becomes of a body that is not on record. Both times by one clock or by clocks that agree within minutes."""
    return "young" if now - stored_at < YOUNG_MICROS else "orphan"
