"""Since when a job that should be running has been silent: no status, no proof that training stopped.

The client is heard every 15 s. Source: OPENINGS "silent since", RULINGS on liveness; the next event lifts it.
"""

from __future__ import annotations

from domain.ids import Micros

SILENT_AFTER_MICROS = 60_000_000
_UNDER_WAY = frozenset({"starting", "running"})


def silent_since(status: str, last_event_at: Micros | None, now: Micros) -> Micros | None:
    """When the job was last heard, if it should have been heard since.

    None where nothing is missed: of a job that waits or has ended, that was never heard, or was heard within a minute.
    """
    if status not in _UNDER_WAY or last_event_at is None or now - last_event_at < SILENT_AFTER_MICROS:
        return None
    return last_event_at
