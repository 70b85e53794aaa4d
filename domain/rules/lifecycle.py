"""An execution attempt only moves forward, and its first terminal event stands.

Forward jumps are legal; a repeat of what was accepted is a duplicate; a step back that was never accepted, and whatever
differs from the terminal event behind it, is set aside. Source: DESIGN "Identity is the rule", RULINGS "Identities".
"""

from __future__ import annotations

from collections.abc import Sequence

from domain.events.lifecycle import LifecycleName

ORDER: dict[LifecycleName, int] = {"starting": 1, "running": 2, "succeeded": 3, "failed": 3}
TERMINAL = frozenset({"succeeded", "failed"})


def moves_forward(accepted: Sequence[LifecycleName], reported: LifecycleName) -> bool:
    """Whether `reported` is what comes next for an attempt with these accepted events, in order."""
    return not accepted or ORDER[reported] > ORDER[accepted[-1]]


def answered_by(accepted: Sequence[LifecycleName], reported: LifecycleName) -> int:
    """The version (from 1) of the accepted event that stands against a report that does not move forward.

    While the attempt goes on, it is the event that the report repeats, where there is one; a late retry of `starting`
    is a repeat, though `running` came in between. Otherwise it is the latest.
    """
    if accepted[-1] not in TERMINAL and reported in accepted:
        return accepted.index(reported) + 1
    return len(accepted)
