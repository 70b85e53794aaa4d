"""Retries of a trial: the outcome of the highest trial attempt is the trial's outcome, whatever the order of arrival.

Source: SPEC "the highest reported attempt wins, even when older events arrive later".
"""

from __future__ import annotations

from domain.events.outcome import OutcomeReported


def supersedes(candidate: OutcomeReported, current: OutcomeReported | None) -> bool:
    """Whether `candidate` replaces `current` as the outcome that counts for its trial.

    An equal attempt never replaces: see `first_accepted_wins`.
    """
    return current is None or candidate.trial_attempt > current.trial_attempt
