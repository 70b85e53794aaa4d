"""When a job that goes on is to be warned that its ingest token ends.

A day before, or while what is left is less than a quarter of the time that the job has run: what has run for weeks will
hardly end tomorrow. Source: SPEC "Endpoints" (the token must cover the longest training job).
"""

from __future__ import annotations

from typing import Literal

from domain.ids import DAY_MICROS, Micros

TokenNotice = Literal["ample", "soon", "expired"]
_PART_OF_RUN = 4


def token_notice(*, running_since: Micros, expires_at: Micros, now: Micros) -> TokenNotice:
    """How it stands with a token under a job that has not ended."""
    left = expires_at - now
    if left <= 0:
        return "expired"
    return "soon" if left < max(DAY_MICROS, (now - running_since) // _PART_OF_RUN) else "ample"
