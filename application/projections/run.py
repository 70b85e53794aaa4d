"""Runs, their execution attempts, and what has arrived from them in all."""

from __future__ import annotations

from typing import Literal

import msgspec
from tuneplane.contract import TRANSPORT_HEALTH

from application.ports.event_log import RecordedEvent
from application.ports.records import Records, RecordTable, Where
from application.projections.key_text import column_text
from application.projections.projection import Projection
from domain.events import (
    EVENT_TYPES,
    Event,
    ExecutionOpened,
    IngestTokensRevoked,
    LifecycleReported,
    LogReported,
    MetricsReported,
    ObservationContractDeclared,
    ObservationReported,
    OutcomeReported,
    PopulationDeclared,
    ProtocolDeclared,
    ReportSetAside,
    RunCreated,
    RunShared,
    ShareWithdrawn,
    ValidationMetricReported,
    decode,
)
from domain.events.base import AttemptEvent
from domain.events.lifecycle import LifecycleName
from domain.ids import Attempt, Micros, Position, RunId
from domain.rules import latest_attempt_shows
from domain.rules.lifecycle import TERMINAL

_LIFECYCLE = str(LifecycleReported.__struct_config__.tag)
_TOLD = (
    ObservationContractDeclared,
    OutcomeReported,
    PopulationDeclared,
    ProtocolDeclared,
    ValidationMetricReported,
)

RunStatus = Literal["created", "starting", "running", "succeeded", "failed"]


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    run: RunId
    name: str
    owner: str
    tags: tuple[str, ...]
    recipe: str | None
    framework: str | None
    notes: str | None
    created_at: Micros
    created_position: Position
    search: str
    """What a free search looks through: name, id, recipe and framework."""
    status: RunStatus = "created"
    """Of the latest attempt."""
    attempt: Attempt | None = None
    """The latest; None where none was opened."""
    started_at: Micros | None = None
    finished_at: Micros | None = None
    shares: tuple[OpenShare, ...] = ()
    """Public shares that were not withdrawn, in the order they were made; expired ones go with the next."""


class OpenShare(msgspec.Struct, frozen=True, kw_only=True):
    """A public share."""

    share_id: str
    expires_at: Micros | None = None


class LifecycleMoment(msgspec.Struct, frozen=True, kw_only=True):
    """One lifecycle report, whether it counted or not."""

    event: LifecycleName
    ts: str | None
    """Reporter's clock, as sent."""
    recorded_at: Micros
    position: Position
    set_aside: bool = False
    """It came behind a later or terminal event, and changed nothing."""


class AttemptRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One execution attempt. Times are the server's."""

    run: RunId
    attempt: Attempt
    opened_at: Micros
    opened_by: str
    token_id: str
    token_expires_at: Micros
    token_revoked_at: Micros | None = None
    status: RunStatus = "created"
    started_at: Micros | None = None
    """First report that it is starting or running; None where it only reported its end."""
    finished_at: Micros | None = None
    history: tuple[LifecycleMoment, ...] = ()
    first_log_at: Micros | None = None
    first_point_at: Micros | None = None
    first_heartbeat_at: Micros | None = None


class ActivityRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What one attempt has sent; apart from the attempt, since it changes with every event."""

    run: RunId
    attempt: Attempt
    last_event_at: Micros
    """Of what it reported; what people do in the console is no sign of life."""
    points: int = 0
    """Finite scalar points accepted, corrections of a step included."""
    invalid_points: int = 0
    observations: int = 0
    told_events: int = 0
    """Observations but health, evaluation facts and observation contracts: what clients count as events."""
    log_bytes: int = 0
    """UTF-8."""
    set_aside: int = 0
    """Reports that lost to an earlier one."""


RUN = RecordTable(
    name="run",
    record=RunRecord,
    key=("run",),
    columns=("created_position", "status", "owner", "tags", "search"),
    indexes=(("created_position",), ("status", "created_position"), ("owner", "created_position")),
)
ATTEMPT = RecordTable(name="attempt", record=AttemptRecord, key=("run", "attempt"))
ACTIVITY = RecordTable(name="activity", record=ActivityRecord, key=("run", "attempt"))


def project(recorded: RecordedEvent, event: Event, records: Records) -> None:
    """Takes in one event of any type."""
    match event:
        case RunCreated():
            _create(recorded, event, records)
        case ExecutionOpened():
            _open(recorded, event, records)
        case IngestTokensRevoked(run=run, token_ids=token_ids):
            for attempt in _attempts(records, run):
                if attempt.token_id in token_ids and attempt.token_revoked_at is None:
                    _put(records, attempt, token_revoked_at=recorded.recorded_at)
        case RunShared() | ShareWithdrawn():
            _share(recorded, event, records)
        case AttemptEvent():
            _hear(recorded, event, records)
        case _:
            pass


def _create(recorded: RecordedEvent, event: RunCreated, records: Records) -> None:
    texts = (event.name, event.run, event.recipe, event.framework)
    record = RunRecord(
        run=event.run,
        name=event.name,
        owner=column_text(event.owner),
        tags=tuple(map(column_text, event.tags)),
        recipe=event.recipe,
        framework=event.framework,
        notes=event.notes,
        created_at=recorded.recorded_at,
        created_position=recorded.position,
        search="\n".join(column_text(text) for text in texts if text),
    )
    records.put(RUN, record)


def _open(recorded: RecordedEvent, event: ExecutionOpened, records: Records) -> None:
    opened = AttemptRecord(
        run=event.run,
        attempt=event.attempt,
        opened_at=recorded.recorded_at,
        opened_by=event.opened_by,
        token_id=event.token_id,
        token_expires_at=event.expires_at,
    )
    records.put(ATTEMPT, opened)
    run = records.get(RUN, event.run)
    if run is not None and latest_attempt_shows.shows(event.attempt, run.attempt):
        records.put(RUN, _standing(run, opened))


def _share(recorded: RecordedEvent, event: RunShared | ShareWithdrawn, records: Records) -> None:
    run = records.get(RUN, event.run)
    if run is None:
        return
    shares = [one for one in run.shares if one.share_id != event.share_id and not is_over(one, recorded.recorded_at)]
    if isinstance(event, RunShared):
        shares.append(OpenShare(share_id=event.share_id, expires_at=event.expires_at))
    records.put(RUN, msgspec.structs.replace(run, shares=tuple(shares)))


def is_over(share: OpenShare, now: Micros) -> bool:
    """Whether the share has expired."""
    return share.expires_at is not None and share.expires_at <= now


def _hear(recorded: RecordedEvent, event: AttemptEvent, records: Records) -> None:
    """What a job reported: its last sign of life, its counts, and the first of its kind."""
    activity = records.get(ACTIVITY, event.run, event.attempt) or ActivityRecord(
        run=event.run, attempt=event.attempt, last_event_at=recorded.recorded_at
    )
    told = activity.told_events + _is_told_event(event)
    activity = msgspec.structs.replace(activity, last_event_at=recorded.recorded_at, told_events=told)
    attempt = records.get(ATTEMPT, event.run, event.attempt)
    match event:
        case LifecycleReported():
            _move(recorded, event, attempt, records)
        case ReportSetAside():
            activity = msgspec.structs.replace(activity, set_aside=activity.set_aside + 1)
            _move_set_aside(recorded, event, attempt, records)
        case MetricsReported(points=points, invalid=invalid):
            total, bad = activity.points + points, activity.invalid_points + len(invalid)
            activity = msgspec.structs.replace(activity, points=total, invalid_points=bad)
            if attempt is not None and attempt.first_point_at is None:
                _put(records, attempt, first_point_at=recorded.recorded_at)
        case LogReported(pieces=pieces):
            size = sum(len(piece.encode(errors="surrogatepass")) for piece in pieces)
            activity = msgspec.structs.replace(activity, log_bytes=activity.log_bytes + size)
            if size and attempt is not None and attempt.first_log_at is None:
                _put(records, attempt, first_log_at=recorded.recorded_at)
        case ObservationReported(kind=kind, name=name):
            activity = msgspec.structs.replace(activity, observations=activity.observations + 1)
            heartbeat = kind == "health" and name == TRANSPORT_HEALTH
            if heartbeat and attempt is not None and attempt.first_heartbeat_at is None:
                _put(records, attempt, first_heartbeat_at=recorded.recorded_at)
        case _:
            pass
    records.put(ACTIVITY, activity)


def _is_told_event(event: AttemptEvent) -> bool:
    """Whether clients count it among the events that they sent; they leave out their own health."""
    if isinstance(event, ObservationReported):
        return event.kind != "health"
    return isinstance(event, _TOLD)


def _move(recorded: RecordedEvent, event: LifecycleReported, attempt: AttemptRecord | None, records: Records) -> None:
    if attempt is None:
        return
    ended = event.event in TERMINAL
    moved = msgspec.structs.replace(
        attempt,
        status=event.event,
        started_at=recorded.recorded_at if attempt.started_at is None and not ended else attempt.started_at,
        finished_at=recorded.recorded_at if ended else None,
        history=(*attempt.history, _moment(recorded, event)),
    )
    records.put(ATTEMPT, moved)
    run = records.get(RUN, event.run)
    if run is not None and run.attempt == event.attempt:
        records.put(RUN, _standing(run, moved))


def _move_set_aside(
    recorded: RecordedEvent, event: ReportSetAside, attempt: AttemptRecord | None, records: Records
) -> None:
    if attempt is None or event.reported_tag != _LIFECYCLE:
        return
    lost = decode(event.reported_tag, event.reported)
    if isinstance(lost, LifecycleReported):
        _put(records, attempt, history=(*attempt.history, _moment(recorded, lost, set_aside=True)))


def _moment(recorded: RecordedEvent, event: LifecycleReported, *, set_aside: bool = False) -> LifecycleMoment:
    return LifecycleMoment(
        event=event.event,
        ts=event.ts,
        recorded_at=recorded.recorded_at,
        position=recorded.position,
        set_aside=set_aside,
    )


def _standing(run: RunRecord, attempt: AttemptRecord) -> RunRecord:
    """The run, as its latest attempt stands."""
    return msgspec.structs.replace(
        run,
        attempt=attempt.attempt,
        status=attempt.status,
        started_at=attempt.started_at,
        finished_at=attempt.finished_at,
    )


def _attempts(records: Records, run: RunId) -> list[AttemptRecord]:
    return records.find(ATTEMPT, Where("run", "=", run))


def _put(records: Records, attempt: AttemptRecord, **changes: object) -> None:
    records.put(ATTEMPT, msgspec.structs.replace(attempt, **changes))


RUN_PROJECTION = Projection(name="run", version=3, reads=EVENT_TYPES, tables=(RUN, ATTEMPT, ACTIVITY), project=project)
