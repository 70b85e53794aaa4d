"""Which bodies of the object store are still wanted, and which a sweep removes.

Source: DESIGN "Bodies" (body first, event second; orphans are swept), SPEC "They expire after seven days".
"""

from __future__ import annotations

from typing import Literal

from domain.ids import Micros

Fate = Literal["kept", "expired", "deleted", "orphan", "young"]
CLAIM_MICROS = Micros(3_600_000_000)
"""An upload may be registered for an hour: much longer than its address is good for, so that a job may wait for us."""
_UNCLAIMED_MICROS = Micros(2 * CLAIM_MICROS)
"""What was not registered by then never will be: the hour between lies before any registration that is on its way."""
YOUNG_MICROS = Micros(3_600_000_000)
"""A body that nobody knows is left alone for an hour: its event may be on its way."""


def of_trajectory(*, expires_at: Micros, deleted: bool, now: Micros) -> Fate:
    """What becomes of the body of a trajectory that is on record."""
    if deleted:
        return "deleted"
    return "expired" if now >= expires_at else "kept"


def of_upload(*, registered: bool, stored_at: Micros, now: Micros) -> Fate:
    """What becomes of an uploaded body; what an artifact is registered under is never swept."""
    if registered:
        return "kept"
    return "young" if now - stored_at < _UNCLAIMED_MICROS else "orphan"


def may_be_claimed(*, stored_at: Micros, now: Micros) -> bool:
    """Whether an artifact may be registered under a body that none was registered under before.

    A sweep may be about to remove older ones.
    """
    return now - stored_at < CLAIM_MICROS


def of_unknown(*, stored_at: Micros, now: Micros) -> Fate:
    """What becomes of a body that is not on record. Both times by one clock or by clocks that agree within minutes."""
    return "young" if now - stored_at < YOUNG_MICROS else "orphan"
