"""The index of trajectories; their bodies are in the object store."""

from __future__ import annotations

import msgspec

from application.ports.event_log import RecordedEvent
from application.ports.records import Records, RecordTable
from application.projections.projection import Projection
from domain.events import Event, TrajectoryDeleted, TrajectoryStored
from domain.ids import Attempt, Micros, Position, RoundId, RunId, TrialId
from domain.rules import latest_attempt_shows


class TrajectoryRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One trajectory as one execution attempt sent it."""

    run: RunId
    attempt: Attempt
    trajectory_id: str
    position: Position
    retained_at: Micros
    scope: str
    round_id: RoundId
    trial_id: TrialId
    diagnostic: str | None
    step: int | None
    expires_at: Micros
    stored: TrajectoryStored
    shown: bool = True
    """Whether no later attempt sent it again."""
    deleted_at: Micros | None = None
    """None: nobody deleted it."""


class TrajectoryShownRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Which attempt's trajectory is shown."""

    run: RunId
    trajectory_id: str
    attempt: Attempt


TRAJECTORY = RecordTable(
    name="trajectory",
    record=TrajectoryRecord,
    key=("run", "attempt", "trajectory_id"),
    columns=(
        "position",
        "shown",
        "scope",
        "round_id",
        "trial_id",
        "diagnostic",
        "step",
        "expires_at",
        "deleted_at",
    ),
    indexes=(
        ("run", "shown", "position"),
        ("run", "attempt", "position"),
        ("run", "round_id", "position"),
        ("run", "trial_id", "position"),
        ("run", "shown", "scope", "diagnostic", "position"),  # counts categories without a look at the records
    ),
)
TRAJECTORY_SHOWN = RecordTable(name="trajectory_shown", record=TrajectoryShownRecord, key=("run", "trajectory_id"))


def project(recorded: RecordedEvent, event: Event, records: Records) -> None:
    """Takes in that a trajectory was stored or deleted."""
    match event:
        case TrajectoryStored():
            _store(recorded, event, records)
        case TrajectoryDeleted(run=run, attempt=attempt, trajectory_id=trajectory_id):
            known = records.get(TRAJECTORY, run, attempt, trajectory_id)
            if known is not None and known.deleted_at is None:
                records.put(TRAJECTORY, msgspec.structs.replace(known, deleted_at=recorded.recorded_at))
        case _:
            pass


def _store(recorded: RecordedEvent, event: TrajectoryStored, records: Records) -> None:
    before = records.get(TRAJECTORY_SHOWN, event.run, event.trajectory_id)
    shown = latest_attempt_shows.shows(event.attempt, before.attempt if before else None)
    if shown:
        if before is not None:
            _hide(records, before)
        now_shown = TrajectoryShownRecord(run=event.run, trajectory_id=event.trajectory_id, attempt=event.attempt)
        records.put(TRAJECTORY_SHOWN, now_shown)
    record = TrajectoryRecord(
        run=event.run,
        attempt=event.attempt,
        trajectory_id=event.trajectory_id,
        position=recorded.position,
        retained_at=recorded.recorded_at,
        scope=event.scope,
        round_id=event.round_id,
        trial_id=event.trial_id,
        diagnostic=event.diagnostic,
        step=event.step,
        expires_at=event.expires_at,
        stored=event,
        shown=shown,
    )
    records.put(TRAJECTORY, record)


def _hide(records: Records, shown: TrajectoryShownRecord) -> None:
    superseded = records.get(TRAJECTORY, shown.run, shown.attempt, shown.trajectory_id)
    if superseded is not None:
        records.put(TRAJECTORY, msgspec.structs.replace(superseded, shown=False))


TRAJECTORY_PROJECTION = Projection(
    name="trajectory",
    version=2,
    reads=(TrajectoryStored, TrajectoryDeleted),
    tables=(TRAJECTORY, TRAJECTORY_SHOWN),
    project=project,
)
