"""The health of a run's reporters one by one, and how it went over time. It says nothing about training."""

from __future__ import annotations

import msgspec
from tuneplane.contract import TRANSPORT_HEALTH

from application.ports.records import Where
from application.ports.views import Views
from application.projections.key_text import key_text
from application.projections.observation import OBSERVATION
from application.projections.transport import HEALTH, HealthRecord
from application.queries.asked_attempt import chosen_attempt, in_attempt
from application.queries.moment import moment
from application.queries.transport import HealthItem, health_item
from domain.ids import Attempt, Micros, RunId
from domain.rules.transport_health import Heartbeat, ReporterState, heartbeat, reporter_state

REPORTERS = 100
_HEARTBEATS = 400
"""Looked at for how it went: of a hundred reporters the last four each, of one an hour and a half."""
_Stream = tuple[Attempt, str]


class HealthAt(msgspec.Struct, frozen=True, kw_only=True):
    """What one heartbeat said. None: it did not say."""

    recorded_at: str
    queued_points: int | None
    dropped_points: int | None
    send_failures: int | None


class Reporter(msgspec.Struct, frozen=True, kw_only=True):
    """One process that reports, by the latest it said. None: it did not say."""

    attempt: Attempt
    stream_id: str | None
    node: str | None
    pid: int | None
    state: ReporterState
    last_heard_at: str
    queued_points: int | None
    capacity_points: int | None
    dropped_points: int | None
    dropped_events: int | None
    send_failures: int | None
    over_time: list[HealthAt]
    """Of its latest heartbeats, the oldest first; only as far as they are among the latest 400 of all."""


class Reporters(msgspec.Struct, frozen=True, kw_only=True):
    """Of all attempts, or of one."""

    reporters: list[Reporter]
    """At most 100, the latest attempt first."""
    others: list[HealthItem]
    """The latest of every other kind of health, however much came after it."""
    more: bool
    """There are more reporters."""


def reporters(views: Views, run: RunId, *, now: Micros, attempt: int | None = None) -> Reporters:
    """The reporters at `now`. Raises `UnknownRun`, `UnknownThing` for an unknown attempt."""
    where = (Where("run", "=", run), *in_attempt(chosen_attempt(views, run, attempt)))
    latest = views.records.find(HEALTH, *where, descending=True, limit=2 * REPORTERS + 1)
    transport = [one for one in latest if one.name == TRANSPORT_HEALTH]
    history = _history(views, *where) if transport else {}
    return Reporters(
        reporters=[_reporter(one, now, history) for one in transport[:REPORTERS]],
        others=[health_item(one) for one in latest if one.name != TRANSPORT_HEALTH][:REPORTERS],
        more=len(latest) > 2 * REPORTERS or len(transport) > REPORTERS,
    )


def _history(views: Views, *where: Where) -> dict[_Stream, list[HealthAt]]:
    told = (Where("kind", "=", "health"), Where("name", "=", TRANSPORT_HEALTH))
    found = views.records.find(OBSERVATION, *where, *told, descending=True, limit=_HEARTBEATS)
    history: dict[_Stream, list[HealthAt]] = {}
    for one in reversed(found):
        stream = key_text(one.observation.values.get("stream_id", ""))
        beat = heartbeat(one.observation.values, one.recorded_at)
        history.setdefault((one.attempt, stream), []).append(_at(beat))
    return history


def _at(beat: Heartbeat) -> HealthAt:
    return HealthAt(
        recorded_at=moment(beat.received_at),
        queued_points=beat.queued_points,
        dropped_points=beat.dropped_points,
        send_failures=beat.send_failures,
    )


def _reporter(record: HealthRecord, now: Micros, history: dict[_Stream, list[HealthAt]]) -> Reporter:
    values = record.values
    beat = heartbeat(values, record.recorded_at)
    node, pid = values.get("node"), values.get("pid")
    return Reporter(
        attempt=record.attempt,
        stream_id=health_item(record).stream_id,
        node=node if isinstance(node, str) else None,
        pid=pid if isinstance(pid, int) and not isinstance(pid, bool) else None,
        state=reporter_state(values, record.recorded_at, now),
        last_heard_at=moment(record.recorded_at),
        queued_points=beat.queued_points,
        capacity_points=beat.capacity_points,
        dropped_points=beat.dropped_points,
        dropped_events=beat.dropped_events,
        send_failures=beat.send_failures,
        over_time=history.get((record.attempt, record.stream), []),
    )
