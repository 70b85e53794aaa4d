"""Which text of an evaluation is kept: sampled, cleaned, then cut to what a trajectory may hold.

What is kept never counts as complete: it does not establish the whole history, token counts, or what training consumed.
Source: SPEC "Import native evaluation artifacts", CONTRACT.md "Trajectory".
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any

from tuneplane.clipping import fitting

from common.eval.artifacts import Attempt
from common.eval.atif import TRAJECTORY, TRAJECTORY_BYTES, messages
from common.eval.harbor_result import Clean
from common.eval.refused import InputRefused

TRACES = 128
"""At most as many trajectories are kept of one evaluation."""
LEGACY = "agent/litellm-trajectory.jsonl"
"""Repeats the whole history with each call and has no stable fields: not read."""
_LONE = re.compile(r"[\ud800-\udfff]")
"""Half a character: JSON can write it, UTF-8 cannot."""


@dataclass(frozen=True)
class Traces:
    """How many trajectories are kept, and what cleans every text before it is cut.

    Raises `InputRefused` for a limit out of range and for text that nothing cleans.
    """

    limit: int
    """0: no text is read."""
    clean: Clean | None

    def __post_init__(self) -> None:
        if not 0 <= self.limit <= TRACES:
            raise InputRefused("--trace-limit", "", f"has to be 0 to {TRACES}")
        if self.limit and self.clean is None:
            raise InputRefused("--trace-limit", "", "text is kept only with a --redactor, which you write")

    def trajectory(self, folder: Attempt) -> dict[str, Any] | None:
        """The text of one attempt as fields of a trajectory; None where it left none that is read."""
        data = folder.read(TRAJECTORY, TRAJECTORY_BYTES) if self.clean else None
        if data is None or self.clean is None:
            return None
        found = list(messages(data, folder.shown(TRAJECTORY), self.clean))
        kept, _ = fitting([{**one, "content": _LONE.sub("\ufffd", one["content"])} for one in found])
        if not kept:
            return None
        return {
            "messages": kept,
            "total_messages": len(found),
            "complete": False,
            "capture_policy": "sampled",
            "source_sha256": hashlib.sha256(data).hexdigest(),
        }
