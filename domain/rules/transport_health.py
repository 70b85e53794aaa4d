"""Whether a run's reporters lost anything on the way, by their own counters.

It says nothing about training: no heartbeat is no proof that training stopped. Source: SPEC "Delivery and capacity
limits", RULINGS "Transport".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from domain.ids import Micros

TransportState = Literal["ok", "lossy", "unknown"]
ReporterState = Literal["heard", "finished", "unknown"]
"""`heard`: within 60 s. `finished`: it said that it has. `unknown`: neither; it may still work."""
SILENT_AFTER_MICROS = 60 * 1_000_000


class Heartbeat(msgspec.Struct, frozen=True, kw_only=True):
    """The latest a reporter (a `stream_id`) said of itself. None: it did not say."""

    received_at: Micros
    """Server's clock; the reporter's may be wrong."""
    queued_points: int | None = None
    capacity_points: int | None = None
    dropped_points: int | None = None
    """This and the two below count from the reporter's start."""
    dropped_events: int | None = None
    send_failures: int | None = None


class TransportHealth(msgspec.Struct, frozen=True, kw_only=True):
    """All reporters of a run together. None: none of them said."""

    state: TransportState
    dropped_points: int | None
    dropped_events: int | None
    send_failures: int | None
    queued_points: int | None
    """This and the capacity: of the reporters heard within 60 s alone; an old occupancy is no occupancy."""
    capacity_points: int | None
    last_heartbeat_at: Micros | None


def heartbeat(values: Mapping[str, bool | int | float | str], received_at: Micros) -> Heartbeat:
    """A `transport` health event as counters; what is no number of things is left out."""
    return Heartbeat(
        received_at=received_at,
        queued_points=_counter(values.get("queued_points")),
        capacity_points=_counter(values.get("capacity_points")),
        dropped_points=_counter(values.get("dropped_points")),
        dropped_events=_counter(values.get("dropped_events")),
        send_failures=_counter(values.get("send_failures")),
    )


def transport_state(latest: Iterable[Heartbeat], now: Micros) -> TransportState:
    """The state alone: the table of jobs asks it of thousands at once.

    A loss stays a loss, however long its reporter has been silent: `lossy` stands before `unknown`, which is no
    heartbeat yet, or none for 60 s.
    """
    state: TransportState = "unknown"
    for beat in latest:
        if beat.dropped_points or beat.dropped_events:
            return "lossy"
        if now - beat.received_at < SILENT_AFTER_MICROS:
            state = "ok"
    return state


def transport_health(latest: Iterable[Heartbeat], now: Micros) -> TransportHealth:
    """The run's transport at `now` (server's clock), from the latest heartbeat of each reporter."""
    beats = list(latest)
    heard = [beat for beat in beats if now - beat.received_at < SILENT_AFTER_MICROS]
    return TransportHealth(
        state=transport_state(beats, now),
        dropped_points=_sum(beat.dropped_points for beat in beats),
        dropped_events=_sum(beat.dropped_events for beat in beats),
        send_failures=_sum(beat.send_failures for beat in beats),
        queued_points=_sum(beat.queued_points for beat in heard),
        capacity_points=_sum(beat.capacity_points for beat in heard),
        last_heartbeat_at=max((beat.received_at for beat in beats), default=None),
    )


def reporter_state(values: Mapping[str, bool | int | float | str], received_at: Micros, now: Micros) -> ReporterState:
    """How it stands with one reporter, from the latest it said."""
    if values.get("finished") is True:
        return "finished"
    return "heard" if now - received_at < SILENT_AFTER_MICROS else "unknown"


def _counter(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        return None
    return int(value)


def _sum(counters: Iterable[int | None]) -> int | None:
    known = [counter for counter in counters if counter is not None]
    return sum(known) if known else None
