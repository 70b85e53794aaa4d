"""What several execution attempts of a run reported is shown as the highest of them reported it.

For rounds, trajectories, and the standing of the run itself; earlier attempts' reports are kept, and found by asking
for their attempt. Source: RULINGS "Surviving lineage".
"""

from __future__ import annotations

from domain.ids import Attempt


def shows(attempt: Attempt, shown: Attempt | None) -> bool:
    """Whether a report of `attempt` is the one to show where that of `shown` was (None: there was none)."""
    return shown is None or attempt >= shown
