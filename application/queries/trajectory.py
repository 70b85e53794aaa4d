"""Trajectories: the index of them, and one with its messages."""

from __future__ import annotations

from typing import Any

import msgspec

from application.ports.object_store import ObjectStore
from application.ports.records import Where
from application.ports.views import Views
from application.projections.trajectory import TRAJECTORY, TRAJECTORY_SHOWN, TrajectoryRecord
from application.queries.moment import moment, moment_or_none
from application.queries.page import Page, keyset, page_size
from application.queries.run import chosen_attempt
from domain.errors import Refused, UnknownThing
from domain.ids import Attempt, Micros, RunId
from domain.rules import retention
from domain.rules.retention import RetentionState

MESSAGES_A_PAGE = 20


class Trajectory(msgspec.Struct, frozen=True, kw_only=True):
    """What is recorded of one trajectory, whether its text is still kept or not. None: the producer did not say."""

    trajectory_id: str
    attempt: Attempt
    scope: str
    round_id: str
    trial_id: str
    trial_attempt: int
    diagnostic: str | None
    """Why it was picked; a low reward is no failed answer."""
    reward: float | None
    step: int | None
    """A logging step; it proves no policy version."""
    collection_policy: str | None
    consumption_policy: str | None
    total_messages: int
    retained_messages: int
    complete: bool
    """False: text was cut or left out."""
    capture_policy: str
    """`sampled`: other trajectories were not kept."""
    source_rows: int | None
    termination: str | None
    roles_inferred: bool
    """The producer found no roles and filled them in."""
    size_bytes: int
    retained_at: str
    expires_at: str
    deleted_at: str | None
    state: RetentionState


class Message(msgspec.Struct, frozen=True, kw_only=True):
    role: str
    content: str
    tool_name: str | None = None
    tool_call_id: str | None = None
    duration_ms: float | None = None
    tokens: float | None = None


class TrajectoryPage(Trajectory, frozen=True, kw_only=True):
    """A trajectory with 20 of its messages."""

    page: int
    """From 1."""
    pages: int
    """Of the retained messages; 0 where none are kept."""
    messages: list[Message]
    """Empty where the text is not kept, and behind the last page."""


class _Body(msgspec.Struct):
    messages: list[Message]


_BODY = msgspec.json.Decoder(_Body)


class TrajectoryFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which trajectories are asked for; None is any. Applied before paging."""

    scope: str | None = None
    round_id: str | None = None
    diagnostic: str | None = None
    step: int | None = None
    trial_id: str | None = None


ANY = TrajectoryFilter()


def trajectories(
    views: Views,
    run: RunId,
    wanted: TrajectoryFilter = ANY,
    *,
    now: Micros,
    attempt: int | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Page[Trajectory]:
    """The index of trajectories, the latest first; without an attempt, each as the highest attempt sent it.

    Raises `UnknownRun`, `UnknownThing` for an unknown attempt.
    """
    chosen = chosen_attempt(views, run, attempt)
    which = Where("shown", "=", value=True) if chosen is None else Where("attempt", "=", chosen)
    asked = msgspec.structs.asdict(wanted).items()
    found, following = keyset(
        views.records,
        TRAJECTORY,
        Where("run", "=", run),
        which,
        *(Where(field, "=", value) for field, value in asked if value is not None),
        order=("position",),
        descending=True,
        size=page_size(limit),
        cursor=cursor,
    )
    # Whether each body is really there would cost a look into the store for each; who opens one is told.
    items = [Trajectory(**_fields(one, now, present=True)) for one in found]
    return Page(items=items, next_cursor=following)


def trajectory(
    views: Views,
    store: ObjectStore,
    run: RunId,
    trajectory_id: str,
    *,
    now: Micros,
    page: int = 1,
    attempt: int | None = None,
) -> TrajectoryPage:
    """One trajectory with page `page` (from 1) of its messages; a body that cannot be read is `missing`.

    Raises `UnknownRun`, `UnknownThing` for an unknown attempt or trajectory, `Refused` for a page below 1, and
    `TryAgain` where the store is away.
    """
    if page < 1:
        raise Refused.at("page", "counts from 1")
    record = trajectory_of(views, run, trajectory_id, attempt)
    gone = _state(record, now, present=True) != "retained"
    messages = None if gone else _messages(store, record)
    first = (page - 1) * MESSAGES_A_PAGE
    return TrajectoryPage(
        **_fields(record, now, present=messages is not None),
        page=page,
        pages=-(-len(messages or ()) // MESSAGES_A_PAGE),
        messages=(messages or [])[first : first + MESSAGES_A_PAGE],
    )


def trajectory_of(views: Views, run: RunId, trajectory_id: str, attempt: int | None = None) -> TrajectoryRecord:
    """What is recorded of a trajectory, as the highest attempt sent it unless one is asked for. Raises as above."""
    chosen = chosen_attempt(views, run, attempt)
    if chosen is None:
        shown = views.records.get(TRAJECTORY_SHOWN, run, trajectory_id)
        chosen = None if shown is None else shown.attempt
    record = None if chosen is None else views.records.get(TRAJECTORY, run, chosen, trajectory_id)
    if record is None:
        raise UnknownThing("This run has no such trajectory.")
    return record


def _messages(store: ObjectStore, record: TrajectoryRecord) -> list[Message] | None:
    """The retained messages; None where the body is not there or is none."""
    body = store.get(record.stored.object_key)
    if body is None:
        return None
    try:
        return _BODY.decode(body).messages
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def _state(record: TrajectoryRecord, now: Micros, *, present: bool) -> RetentionState:
    deleted = record.deleted_at is not None
    return retention.state(expires_at=record.stored.expires_at, deleted=deleted, present=present, now=now)


def _fields(record: TrajectoryRecord, now: Micros, *, present: bool) -> dict[str, Any]:
    """The fields of a `Trajectory`."""
    said = record.stored
    return {
        "trajectory_id": record.trajectory_id,
        "attempt": record.attempt,
        "scope": said.scope,
        "round_id": said.round_id,
        "trial_id": said.trial_id,
        "trial_attempt": said.trial_attempt,
        "diagnostic": said.diagnostic,
        "reward": said.reward,
        "step": said.step,
        "collection_policy": said.collection_policy,
        "consumption_policy": said.consumption_policy,
        "total_messages": said.total_messages,
        "retained_messages": said.retained_messages,
        "complete": said.complete,
        "capture_policy": said.capture_policy,
        "source_rows": said.source_rows,
        "termination": said.termination,
        "roles_inferred": said.roles_inferred,
        "size_bytes": said.size_bytes,
        "retained_at": moment(record.retained_at),
        "expires_at": moment(said.expires_at),
        "deleted_at": moment_or_none(record.deleted_at),
        "state": _state(record, now, present=present),
    }
