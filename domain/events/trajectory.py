"""Trajectories: the index entry is an event, the body is in the object store."""

from __future__ import annotations

from typing import Literal

from domain.events.base import AttemptEvent, RunEvent
from domain.ids import Micros, RoundId, TrialId


class TrajectoryStored(AttemptEvent, frozen=True, kw_only=True, omit_defaults=True, tag="trajectory-stored.v1"):
    trajectory_id: str
    """SHA-256 of [scope, round_id, trial_id, trial_attempt], hex (CONTRACT.md)."""
    scope: Literal["validation", "training"]
    round_id: RoundId
    trial_id: TrialId
    trial_attempt: int
    total_messages: int
    """Messages the execution had; `retained_messages` of them are kept."""
    retained_messages: int
    complete: bool
    capture_policy: Literal["all", "sampled"]
    object_key: str
    """Made by the server."""
    body_digest: str
    """SHA-256 of the stored body, hex."""
    size_bytes: int
    expires_at: Micros
    termination: str | None = None
    collection_policy: str | None = None
    """Policy version that collected it; None is unknown."""
    consumption_policy: str | None = None
    diagnostic: Literal["failure", "anomaly", "low_reward", "representative"] | None = None
    reward: float | None = None
    step: int | None = None
    """A logging step; it proves no policy version."""
    source_rows: int | None = None
    roles_inferred: bool = False


class TrajectoryDeleted(RunEvent, frozen=True, kw_only=True, omit_defaults=True, tag="trajectory-deleted.v1"):
    """The body is gone; the index entry and all counts stay."""

    trajectory_id: str
    object_key: str
    attempt: int
    deleted_by: str
