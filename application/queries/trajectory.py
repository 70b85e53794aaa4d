"""One trajectory: what is recorded of it, and its messages. The index of them is `trajectory_index.py`."""

from __future__ import annotations

from typing import Any

import msgspec

from application.ports.views import Views
from application.projections.trajectory import TRAJECTORY, TRAJECTORY_SHOWN, TrajectoryRecord
from application.queries.asked_attempt import chosen_attempt
from application.queries.moment import moment, moment_or_none
from application.queries.trajectory_text import Message, TrajectoryText
from domain.errors import Refused, UnknownThing
from domain.ids import Attempt, Micros, RunId
from domain.rules import retention
from domain.rules.retention import RetentionState


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


class TrajectoryPage(Trajectory, frozen=True, kw_only=True):
    """A trajectory with 20 of its messages."""

    page: int
    """From 1."""
    pages: int
    """Of the retained messages; 0 where none are kept."""
    messages: list[Message]
    """Empty where the text is not kept, and behind the last page."""


def trajectory(known: TrajectoryRecord, text: TrajectoryText | None, *, now: Micros, page: int = 1) -> TrajectoryPage:
    """A trajectory with page `page` (from 1) of its messages; a text that is kept and cannot be read is `missing`.

    Raises `Refused` for a page below 1.
    """
    if page < 1:
        raise Refused.at("page", "counts from 1")
    item = described(known, now, present=text is not None)
    shown = text if item.state == "retained" else None
    return TrajectoryPage(
        **msgspec.structs.asdict(item),
        page=page,
        pages=0 if shown is None else shown.pages,
        messages=[] if shown is None else [one.message for one in shown.page(page)],
    )


def trajectory_of(views: Views, run: RunId, trajectory_id: str, attempt: int | None = None) -> TrajectoryRecord:
    """What is recorded of a trajectory, as the highest attempt sent it unless one is asked for.

    Raises `UnknownRun`, `UnknownThing` for an unknown attempt or trajectory.
    """
    chosen = chosen_attempt(views, run, attempt)
    if chosen is None:
        shown = views.records.get(TRAJECTORY_SHOWN, run, trajectory_id)
        chosen = None if shown is None else shown.attempt
    record = None if chosen is None else views.records.get(TRAJECTORY, run, chosen, trajectory_id)
    if record is None:
        raise UnknownThing("This run has no such trajectory.")
    return record


def as_it_is(current: Views, known: TrajectoryRecord) -> TrajectoryRecord:
    """The same trajectory in the views as they are: a text that was deleted since is gone from the past, too."""
    return current.records.get(TRAJECTORY, known.run, known.attempt, known.trajectory_id) or known


def described(known: TrajectoryRecord, now: Micros, *, present: bool = True) -> Trajectory:
    """What is recorded, with the state of the text at `now`; `present`: the store has it, as far as is known."""
    return Trajectory(**_fields(known, now, present=present))


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
