"""Trajectories: kept once, deleted once."""

from __future__ import annotations

from domain.events import TrajectoryDeleted, TrajectoryStored
from domain.ids import Attempt, RunId, StreamId, stream_id
from domain.placement import Placement
from domain.rules import latest_version_shows, trajectory_is_immutable


def trajectory_stream(run: RunId, attempt: Attempt, trajectory_id: str) -> StreamId:
    """One event: that the trajectory was kept."""
    return stream_id(run, attempt, "trajectory", trajectory_id)


def deletion_stream(run: RunId, attempt: Attempt, trajectory_id: str) -> StreamId:
    """That its body was deleted; empty where it was not."""
    return stream_id(run, attempt, "trajectory-deletion", trajectory_id)


def store_trajectory(event: TrajectoryStored) -> Placement:
    """One body an identity and attempt; other bytes are refused."""
    stream = trajectory_stream(event.run, event.attempt, event.trajectory_id)
    return trajectory_is_immutable.place(event, stream)


def delete_trajectory(event: TrajectoryDeleted) -> Placement:
    """The body is deleted once; who asks for it again is on record, and nothing else changes."""
    stream = deletion_stream(event.run, Attempt(event.attempt), event.trajectory_id)
    return latest_version_shows.place(event, stream)
