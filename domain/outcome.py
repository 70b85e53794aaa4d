"""Outcomes of trials: one for each trial attempt, the highest attempt counts."""

from __future__ import annotations

from tuneplane.contract import NEVER_ELIGIBLE

from domain.errors import Refused
from domain.events import OutcomeReported
from domain.ids import stream_id
from domain.placement import Placement
from domain.rules import first_accepted_wins


def report_outcome(event: OutcomeReported) -> Placement:
    """The first accepted outcome of a trial attempt stands.

    Which attempt is the trial's outcome: `rules/highest_attempt_wins.py`. Raises `Refused` where an
    infrastructure error or an unscored result is called eligible for training.
    """
    if event.training_eligible and event.status in NEVER_ELIGIBLE:
        raise Refused.at("training_eligible", f"must be false for status {event.status!r}")
    stream = stream_id(event.run, event.attempt, "outcome", event.round_id, event.trial_id)
    return first_accepted_wins.place(event, stream, event.trial_attempt + 1)
