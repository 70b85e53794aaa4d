"""How many training samples of a step may be sent."""

from __future__ import annotations

from collections.abc import Mapping

from tuneplane.retention import cap_from

VARIABLE = "TUNEPLANE_JOB_ROLLOUT_UPLOAD_SAMPLES"
MOST = 32


def rollout_cap(env: Mapping[str, str]) -> int:
    """0 to 32: the variable may lower the 32, not raise it. Raises `retention.CapUnusable`."""
    given = cap_from(env, VARIABLE)
    return MOST if given is None else min(given, MOST)
