"""Removes the body of a trajectory; its index entry and all counts stay."""

from __future__ import annotations

from application.event_log.group_commit import GroupCommit
from application.ports.event_log import EventLog
from application.ports.object_store import ObjectStore
from domain.errors import TryAgain, UnknownThing
from domain.events import TrajectoryDeleted, TrajectoryStored, decode
from domain.ids import Attempt, Position, RunId
from domain.trajectory import delete_trajectory, trajectory_stream


class DeleteTrajectory:
    """Raises `UnknownThing` where no such trajectory was kept. May be repeated."""

    def __init__(self, commit: GroupCommit, log: EventLog, bodies: ObjectStore) -> None:
        self._commit = commit
        self._log = log
        self._bodies = bodies

    def __call__(self, run: RunId, attempt: Attempt, trajectory_id: str, *, deleted_by: str) -> Position:
        """On record first: should the store fail now, the sweep removes what the record says is gone."""
        recorded = self._log.stream(trajectory_stream(run, attempt, trajectory_id))
        if not recorded or recorded[0].payload is None:
            raise UnknownThing("There is no such trajectory in this run.")
        stored = decode(recorded[0].tag, recorded[0].payload)
        if not isinstance(stored, TrajectoryStored):
            raise UnknownThing("There is no such trajectory in this run.")
        event = TrajectoryDeleted(
            run=run,
            attempt=attempt,
            trajectory_id=trajectory_id,
            object_key=stored.object_key,
            deleted_by=deleted_by,
        )
        position = self._commit.append_now([delete_trajectory(event)]).position
        try:
            self._bodies.delete(stored.object_key)
        except TryAgain as away:
            raise TryAgain(
                "The deletion is on record and the text is shown to nobody; the object store could not be told, and a "
                "sweep removes the body there. Repeating it does no harm."
            ) from away
        return position
