"""Of the trials that were scored, the share that succeeded.

Execution errors and unscored trials are no part of it, so they can neither lower nor raise it. Source: SPEC "The
success rate uses `success / (success + failure)`", RULINGS "Evaluation".
"""

from __future__ import annotations


def success_rate(success: int, failure: int) -> float | None:
    """From 0 to 1; None only where nothing is scored. It needs no population."""
    scored = success + failure
    return success / scored if scored else None
