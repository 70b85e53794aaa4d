"""What is kept of an error that stopped a projection at a run."""

from __future__ import annotations

import traceback
from pathlib import Path

_MOST_CHARS = 300


def described(error: BaseException) -> str:
    """Class and place of an error. Its message is left out: it may hold what was reported."""
    frames = traceback.extract_tb(error.__traceback__)
    # A database error's SQLSTATE says more than its class.
    kind = f"{type(error).__name__} {getattr(error, 'sqlstate', None) or ''}".strip()
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno} in {frames[-1].name}" if frames else ""
    return f"{kind}{place}"[:_MOST_CHARS]
