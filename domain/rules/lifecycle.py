"""An execution attempt only moves forward, and its first terminal event stands.

Forward jumps are legal; a repeat of the latest is a duplicate; a step back, and whatever else follows a
terminal event, is set aside. Source: DESIGN "Identity is the rule", RULINGS "Identities".
"""

from __future__ import annotations

from domain.events.lifecycle import LifecycleName
from domain.placement import Verdict

ORDER: dict[str, int] = {"created": 0, "starting": 1, "running": 2, "succeeded": 3, "failed": 3}
TERMINAL = frozenset({"succeeded", "failed"})


def follows(current: LifecycleName | None, reported: LifecycleName) -> Verdict:
    """What `reported` means for an attempt whose latest event is `current` (None: nothing reported yet)."""
    if current is None:
        return Verdict.NEXT_VERSION
    if current == reported:
        return Verdict.DUPLICATE
    return Verdict.NEXT_VERSION if ORDER[reported] > ORDER[current] else Verdict.SET_ASIDE
