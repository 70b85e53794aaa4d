"""Trajectory bodies are kept for seven days, or until they are deleted; the record and all counts stay.

Source: SPEC "They expire after seven days", DESIGN "Bodies".
"""

from __future__ import annotations

from typing import Literal

from domain.ids import DAY_MICROS, Micros

RetentionState = Literal["retained", "expired", "deleted", "missing"]
RETENTION_DAYS = 7


def expires_at(stored_at: Micros, days: int = RETENTION_DAYS) -> Micros:
    """When a body that came in at `stored_at` expires."""
    return Micros(stored_at + days * DAY_MICROS)


def state(*, expires_at: Micros, deleted: bool, present: bool, now: Micros) -> RetentionState:
    """What a reader may expect of a body.

    A deletion is told before an expiry, and both before a body that is not there: `missing` is only what nobody
    took away. From `expires_at` on a body is expired, swept or not.
    """
    if deleted:
        return "deleted"
    if now >= expires_at:
        return "expired"
    return "retained" if present else "missing"
