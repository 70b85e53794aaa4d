"""Since when a host has been silent: it is said, it decides nothing, and the next sample lifts it.

Samples come every 60 s at the least, unless a job asks for longer. Source: CONTRACT "TUNEPLANE_JOB_MONITOR_INTERVAL",
OPENINGS "silent since".
"""

from __future__ import annotations

from domain.ids import Micros

SILENT_AFTER_MICROS = 180_000_000


def silent_since(last_at: Micros | None, now: Micros, *, under_way: bool) -> Micros | None:
    """When the last sample was taken, by the host's clock, if more should have come since.

    None where no sample is missed: under a job that has ended nothing is.
    """
    if not under_way or last_at is None or now - last_at < SILENT_AFTER_MICROS:
        return None
    return last_at
