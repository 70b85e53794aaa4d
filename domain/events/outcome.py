"""What became of one attempt of one trial."""

from __future__ import annotations

from typing import Literal

from domain.events.base import AttemptEvent
from domain.ids import RoundId, TrialId

OutcomeStatus = Literal["success", "failure", "infra_error", "unscored"]


class OutcomeReported(AttemptEvent, frozen=True, kw_only=True, omit_defaults=True, tag="outcome-reported.v1"):
    round_id: RoundId
    trial_id: TrialId
    trial_attempt: int
    """Of this trial, from 0; not the run's execution attempt."""
    status: OutcomeStatus
    training_eligible: bool
    """The producer's decision about its own sample; it promotes nothing."""
    ts: str | None = None
