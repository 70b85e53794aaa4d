"""Runs: the list of them, and one with its attempts, its counts and the health of its reporting."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from application.ports.records import Where
from application.ports.views import Views
from application.projections.artifact import ARTIFACT
from application.projections.round import ROUND_SHOWN
from application.projections.run import (
    ACTIVITY,
    ATTEMPT,
    RUN,
    ActivityRecord,
    AttemptRecord,
    LifecycleMoment,
    RunRecord,
    RunStatus,
    is_over,
)
from application.projections.trajectory import TRAJECTORY_SHOWN
from application.queries.asked_attempt import run_of
from application.queries.moment import moment, moment_or_none
from application.queries.page import Page, keyset, page_size
from application.queries.transport import Transport, transport
from domain.events.lifecycle import LifecycleName
from domain.ids import Attempt, Micros, RunId
from domain.rules.job_silence import silent_since


class RunItem(msgspec.Struct, frozen=True, kw_only=True):
    """A run in a list. Times are ISO-8601; None is unknown, or not yet."""

    run_id: RunId
    name: str
    owner: str
    tags: list[str]
    recipe: str | None
    framework: str | None
    status: RunStatus
    """Of the latest attempt. Silence never changes it."""
    attempt: Attempt | None
    """The latest; None where none was opened."""
    created_at: str
    started_at: str | None
    """This and the next: of the latest attempt."""
    finished_at: str | None
    last_event_at: str | None
    """When the job was last heard, whatever it reported."""
    silent_since: str | None
    """The same, where it should have been heard since; None where nothing is missed. It changes no status."""


class LifecycleItem(msgspec.Struct, frozen=True, kw_only=True):
    """One lifecycle report of an attempt, in order of the log."""

    event: LifecycleName
    ts: str | None
    """Reporter's clock, as sent."""
    recorded_at: str
    position: int
    set_aside: bool
    """It came too late to count."""


class AttemptItem(msgspec.Struct, frozen=True, kw_only=True):
    """One execution attempt. Times are ISO-8601, the server's clock."""

    attempt: Attempt
    status: RunStatus
    started_at: str | None
    finished_at: str | None
    opened_at: str
    opened_by: str
    token_expires_at: str
    token_revoked_at: str | None
    first_log_at: str | None
    first_point_at: str | None
    first_heartbeat_at: str | None
    lifecycle: list[LifecycleItem]
    received: Received


class Received(msgspec.Struct, frozen=True, kw_only=True):
    """What of one attempt is stored."""

    points: int
    """Finite, corrections of a step included."""
    invalid_points: int
    events: int
    """Observations but health, evaluation facts and observation contracts."""
    log_bytes: int
    set_aside: int


class RunCounts(msgspec.Struct, frozen=True, kw_only=True):
    """What the run holds, all attempts together."""

    series: int
    points: int
    """Finite points accepted, corrections of a step included."""
    observations: int
    log_bytes: int
    artifacts: int
    rounds: int
    trajectories: int
    """Deleted and expired ones included."""
    invalid_points: int
    set_aside: int
    """Reports that lost to an earlier one."""


class ViewFault(msgspec.Struct, frozen=True, kw_only=True):
    """A view that could not take in an event of this run, and lacks it and everything behind it."""

    projection: str
    position: int
    error: str
    """Class and place of the error; never what was reported."""
    at: str


class Run(RunItem, frozen=True, kw_only=True):
    """One run whole."""

    notes: str | None
    shared: bool
    """Whether anyone may read it through its public page."""
    attempts: list[AttemptItem]
    """From the first on."""
    counts: RunCounts
    transport: Transport
    faults: list[ViewFault]
    """Views that are incomplete; usually none."""


def runs(
    views: Views,
    *,
    now: Micros,
    status: RunStatus | None = None,
    owner: str | None = None,
    tag: str | None = None,
    q: str = "",
    limit: int | None = None,
    cursor: str | None = None,
) -> Page[RunItem]:
    """Runs that meet every filter, newest first; `q` is looked for in name, id, recipe and framework, in any case."""
    where = [Where(field, "=", value) for field, value in (("status", status), ("owner", owner)) if value is not None]
    if tag is not None:
        where.append(Where("tags", "has", tag))
    if q:
        where.append(Where("search", "contains", q))
    size = page_size(limit)
    found, following = keyset(
        views.records, RUN, *where, order=("created_position",), descending=True, size=size, cursor=cursor
    )
    ids = tuple(record.run for record in found)
    heard: dict[RunId, list[ActivityRecord]] = {}
    for one in views.records.find(ACTIVITY, Where("run", "in", ids)) if ids else ():
        heard.setdefault(one.run, []).append(one)
    return Page(items=[_item(record, heard.get(record.run, ()), now) for record in found], next_cursor=following)


def run(views: Views, run_id: RunId, *, now: Micros) -> Run:
    """One run as it stands. Raises `UnknownRun`."""
    record = run_of(views, run_id)
    activity = _activity(views, run_id)
    attempts = views.records.find(ATTEMPT, Where("run", "=", run_id))
    return Run(
        **msgspec.structs.asdict(_item(record, activity, now)),
        notes=record.notes,
        shared=any(not is_over(share, now) for share in record.shares),
        attempts=[_attempt(attempt, activity) for attempt in attempts],
        counts=_counts(views, run_id, activity),
        transport=transport(views, run_id, now=now),
        faults=[
            ViewFault(projection=one.projection, position=one.position, error=one.error, at=moment(one.at))
            for one in views.faults(run_id)
        ],
    )


def run_item(views: Views, run_id: RunId, *, now: Micros) -> RunItem:
    """One run as in the list. Raises `UnknownRun`."""
    return _item(run_of(views, run_id), _activity(views, run_id), now)


def _activity(views: Views, run_id: RunId) -> list[ActivityRecord]:
    """What was heard of each attempt that was heard."""
    return views.records.find(ACTIVITY, Where("run", "=", run_id))


def item_of(record: RunRecord, last_event_at: Micros | None, now: Micros) -> RunItem:
    """The run as in a list; `last_event_at`: when it was last heard, None where it never was."""
    return RunItem(
        run_id=record.run,
        name=record.name,
        owner=record.owner,
        tags=list(record.tags),
        recipe=record.recipe,
        framework=record.framework,
        status=record.status,
        attempt=record.attempt,
        created_at=moment(record.created_at),
        started_at=moment_or_none(record.started_at),
        finished_at=moment_or_none(record.finished_at),
        last_event_at=moment_or_none(last_event_at),
        silent_since=moment_or_none(silent_since(record.status, last_event_at, now)),
    )


def _item(record: RunRecord, activity: Sequence[ActivityRecord], now: Micros) -> RunItem:
    return item_of(record, max((one.last_event_at for one in activity), default=None), now)


def _attempt(record: AttemptRecord, activity: Sequence[ActivityRecord]) -> AttemptItem:
    return AttemptItem(
        attempt=record.attempt,
        status=record.status,
        started_at=moment_or_none(record.started_at),
        finished_at=moment_or_none(record.finished_at),
        opened_at=moment(record.opened_at),
        opened_by=record.opened_by,
        token_expires_at=moment(record.token_expires_at),
        token_revoked_at=moment_or_none(record.token_revoked_at),
        first_log_at=moment_or_none(record.first_log_at),
        first_point_at=moment_or_none(record.first_point_at),
        first_heartbeat_at=moment_or_none(record.first_heartbeat_at),
        lifecycle=[_lifecycle(one) for one in record.history],
        received=_received([one for one in activity if one.attempt == record.attempt]),
    )


def _received(activity: Sequence[ActivityRecord]) -> Received:
    return Received(
        points=sum(one.points for one in activity),
        invalid_points=sum(one.invalid_points for one in activity),
        events=sum(one.told_events for one in activity),
        log_bytes=sum(one.log_bytes for one in activity),
        set_aside=sum(one.set_aside for one in activity),
    )


def _lifecycle(one: LifecycleMoment) -> LifecycleItem:
    return LifecycleItem(
        event=one.event,
        ts=one.ts,
        recorded_at=moment(one.recorded_at),
        position=one.position,
        set_aside=one.set_aside,
    )


def _counts(views: Views, run_id: RunId, activity: Sequence[ActivityRecord]) -> RunCounts:
    of_run = Where("run", "=", run_id)
    received = _received(activity)
    return RunCounts(
        series=views.scalars.series_count(run_id),
        points=received.points,
        observations=sum(one.observations for one in activity),
        log_bytes=received.log_bytes,
        artifacts=views.records.count(ARTIFACT, of_run),
        rounds=views.records.count(ROUND_SHOWN, of_run),
        trajectories=views.records.count(TRAJECTORY_SHOWN, of_run),
        invalid_points=received.invalid_points,
        set_aside=received.set_aside,
    )
