"""Whether anything was lost on the way from a run to here, as its reporters say. It says nothing about training."""

from __future__ import annotations

import msgspec
from tuneplane.contract import TRANSPORT_HEALTH

from application.ports.records import Where
from application.ports.views import Views
from application.projections.transport import HEALTH, HealthRecord
from application.queries.moment import moment, moment_or_none
from domain.ids import Attempt, Micros, RunId
from domain.rules.transport_health import TransportState, heartbeat, transport_health

REPORTERS_SHOWN = 100


class Transport(msgspec.Struct, frozen=True, kw_only=True):
    """All reporters of all attempts of a run together. None: none of them said."""

    state: TransportState
    """`lossy`: anything was dropped. `unknown`: no heartbeat yet, or none for 60 s."""
    dropped_points: int | None
    dropped_events: int | None
    send_failures: int | None
    queued_points: int | None
    """This and the capacity: of the reporters that were heard within 60 s."""
    capacity_points: int | None
    last_heartbeat_at: str | None
    reporters: list[HealthItem]
    """What each said last, of transport or of anything else, however much came after it; at most 100, by attempt,
    the latest first."""


class HealthItem(msgspec.Struct, frozen=True, kw_only=True):
    """The latest that one reporter said of one kind of health."""

    attempt: Attempt
    name: str
    """`transport`, `invalid_metrics`, or a name of the job's own."""
    stream_id: str | None
    """None where the reporter named none."""
    recorded_at: str
    values: dict[str, bool | int | float | str]


def transport(views: Views, run: RunId, *, now: Micros) -> Transport:
    """The transport of `run` at `now`."""
    latest = views.records.find(HEALTH, Where("run", "=", run), Where("name", "=", TRANSPORT_HEALTH))
    found = transport_health((heartbeat(one.values, one.recorded_at) for one in latest), now)
    return Transport(
        state=found.state,
        dropped_points=found.dropped_points,
        dropped_events=found.dropped_events,
        send_failures=found.send_failures,
        queued_points=found.queued_points,
        capacity_points=found.capacity_points,
        last_heartbeat_at=moment_or_none(found.last_heartbeat_at),
        reporters=_health(views, run),
    )


def health_item(record: HealthRecord) -> HealthItem:
    """As answers show it."""
    return HealthItem(
        attempt=record.attempt,
        name=record.name,
        stream_id=str(record.values["stream_id"]) if record.stream else None,
        recorded_at=moment(record.recorded_at),
        values=record.values,
    )


def _health(views: Views, run: RunId) -> list[HealthItem]:
    """The latest health of each reporter."""
    found = views.records.find(HEALTH, Where("run", "=", run), descending=True, limit=REPORTERS_SHOWN)
    return [health_item(one) for one in found]
