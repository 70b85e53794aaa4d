"""Why a trial ended as it did, as an observation and a trajectory may carry it."""

from __future__ import annotations

import re

from tuneplane.contract import POLICY_CHARS
from tuneplane.observations import CONTROL

_CONTROLS = re.compile(f"{CONTROL.pattern}+")


def as_reason(text: str) -> str:
    """`text` on one line, cut to 256 characters. It may hold nothing sensitive: nothing is taken out here."""
    line = _CONTROLS.sub(" ", text).strip()
    return line if len(line) <= POLICY_CHARS else line[: POLICY_CHARS - 1] + "…"
