"""Keeps the text of one execution of one trial: the body first, the event second."""

from __future__ import annotations

import hashlib

from application.event_log.group_commit import GroupCommit, Receipt
from application.ports.event_log import EventLog
from application.ports.object_store import ObjectStore
from domain.errors import IdentityTaken
from domain.events import TrajectoryStored
from domain.ids import Attempt, RunId
from domain.trajectory import store_trajectory, trajectory_stream

PREFIX = "trajectories"


def body_key(run: RunId, attempt: Attempt, trajectory_id: str, body_digest: str) -> str:
    """Where a body is kept: made by the server, different for other bytes."""
    stream = trajectory_stream(run, attempt, trajectory_id)
    return f"{PREFIX}/{stream.hex[:2]}/{stream.hex}-{body_digest[:32]}.json"


class StoreTrajectory:
    """Raises `IdentityTaken` where other bytes were kept before, `TryAgain` where the store is away."""

    def __init__(self, commit: GroupCommit, log: EventLog, bodies: ObjectStore) -> None:
        self._commit = commit
        self._log = log
        self._bodies = bodies

    def __call__(self, event: TrajectoryStored, body: bytes) -> Receipt:
        """`event.body_digest` and `event.object_key` are those of `body` (`body_key`)."""
        stream = trajectory_stream(event.run, event.attempt, event.trajectory_id)
        # A known identity stores nothing: a retry must not bring back a body that expired or was deleted.
        fresh = not self._log.stream(stream)
        if fresh:
            self._bodies.put(event.object_key, body, event.body_digest)
        try:
            return self._commit.append_now([store_trajectory(event)])
        except IdentityTaken:
            if fresh:
                self._bodies.delete(event.object_key)
            raise IdentityTaken(
                "Another body is kept for this trajectory, and it stands; use a new trial_attempt for a new execution."
            ) from None


def digest_of(body: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(body).hexdigest()
