"""What was reported of the trial attempt whose text a trajectory keeps."""

from __future__ import annotations

import msgspec

from application.ports.views import Views
from application.projections.round import TRIAL, TRIAL_ATTEMPT
from application.projections.trajectory import TrajectoryRecord
from domain.events.outcome import OutcomeStatus


class TrajectoryOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """Of one trial attempt."""

    status: OutcomeStatus | None
    """None: nothing was reported of it, which is no failure."""
    trial_attempt: int | None
    """Which attempt is the trial's outcome; None where nothing was reported of the trial."""


def trajectory_outcome(views: Views, known: TrajectoryRecord) -> TrajectoryOutcome | None:
    """As the execution attempt that sent the text reported it. None for a training rollout, which has no outcome."""
    if known.scope != "validation":
        return None
    of_trial = known.run, known.attempt, known.round_id, known.trial_id
    trial = views.records.get(TRIAL, *of_trial)
    reported = views.records.get(TRIAL_ATTEMPT, *of_trial, known.stored.trial_attempt)
    return TrajectoryOutcome(
        status=None if reported is None else reported.status,
        trial_attempt=None if trial is None else trial.trial_attempt,
    )
