"""How far the last value of a series is from its first, whatever its unit: what "most changed" means.

|last - first| over the greater of |first| and |last|. 0: it ended where it began; 0.5: halved or doubled; 1: from or to
zero; up to 2 where the sign changed. It says that something moved, never that it got better, and nothing of what
happened in between.
"""

from __future__ import annotations


def relative_change(first: float | None, last: float | None, count: int) -> float | None:
    """From 0 to 2; None where fewer than two steps were reported."""
    if first is None or last is None or count < 2:  # noqa: PLR2004 - from one step to another
        return None
    size = max(abs(first), abs(last))
    return abs(last / size - first / size) if size else 0.0
