"""Times as answers show them: ISO-8601, UTC, with `Z`; and the time by which an answer judges what is late."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from application.clock import now
from application.ports.views import Views
from domain.ids import Micros

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(at: int) -> str:
    """Microseconds since the epoch as `2026-01-01T00:00:00.000000Z`; what no calendar holds as its nearest moment."""
    try:
        when = _EPOCH + timedelta(microseconds=at)
    except OverflowError:
        when = datetime.max.replace(tzinfo=UTC) if at > 0 else datetime.min.replace(tzinfo=UTC)
    return when.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def moment_or_none(at: int | None) -> str | None:
    """None stays None: nobody knows."""
    return None if at is None else moment(at)


def judged_at(views: Views, *, past: bool) -> Micros:
    """The time by which silence and expiry are judged: now; of the past, when its last event was recorded."""
    last = views.log.at([views.position]) if past else []
    return last[0].recorded_at if last else now()
