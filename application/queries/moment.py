"""Times as answers show them: ISO-8601, UTC, with `Z`; and the time by which an answer judges what is late."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from application.clock import now
from application.ports.views import Views
from domain.ids import Micros

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_A_SECOND = 1_000_000
_FIRST, _LAST = (
    (nearest - _EPOCH) // timedelta(microseconds=1)
    for nearest in (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
)
"""What a calendar holds, in microseconds since the epoch."""


def moment(at: int) -> str:
    """Microseconds since the epoch as `2026-01-01T00:00:00.000000Z`; what no calendar holds as its nearest moment."""
    seconds, micros = divmod(max(_FIRST, min(at, _LAST)), _A_SECOND)
    return f"{_second(seconds)}.{micros:06d}Z"


@lru_cache(maxsize=4096)
def _second(seconds: int) -> str:
    """Without its fraction. Pages show many moments of few seconds, and a calendar is slow."""
    return (_EPOCH + timedelta(seconds=seconds)).replace(tzinfo=None).isoformat(timespec="seconds")


def moment_or_none(at: int | None) -> str | None:
    """None stays None: nobody knows."""
    return None if at is None else moment(at)


def judged_at(views: Views, *, past: bool) -> Micros:
    """The time by which silence and expiry are judged: now; of the past, when its last event was recorded."""
    last = views.log.at([views.position]) if past else []
    return last[0].recorded_at if last else now()
