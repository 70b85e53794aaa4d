"""Trials of a round by the class of their current outcome; every reported trial is in exactly one class.

Which outcome is current: `highest_attempt_wins`. Source: SPEC "Evaluation outcome coverage".
"""

from __future__ import annotations

import msgspec

from domain.events.outcome import OutcomeReported


class OutcomeCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of distinct trials."""

    success: int = 0
    failure: int = 0
    infra_error: int = 0
    """Executions that broke before a verdict."""
    unscored: int = 0
    training_eligible: int = 0
    """Those that their producer calls eligible, whatever their class."""
    retried: int = 0
    """Those whose current outcome is of a retry: of a trial attempt above 0."""
    reported: int = 0
    """All of them: the sum of the four classes."""

    def replaced(self, previous: OutcomeReported | None, current: OutcomeReported) -> OutcomeCounts:
        """The counts once a trial's outcome is `current` instead of `previous` (None: the trial is new)."""
        kept = self if previous is None else _moved(self, previous, -1)
        return _moved(kept, current, 1)


def _moved(counts: OutcomeCounts, outcome: OutcomeReported, trials: int) -> OutcomeCounts:
    of_its_class: dict[str, int] = {outcome.status: getattr(counts, outcome.status) + trials}
    return msgspec.structs.replace(
        counts,
        **of_its_class,
        training_eligible=counts.training_eligible + trials * outcome.training_eligible,
        retried=counts.retried + trials * (outcome.trial_attempt > 0),
        reported=counts.reported + trials,
    )
