"""How many samples of a step may be sent."""

from __future__ import annotations

from collections.abc import Mapping

ROLLOUT_SAMPLES = "TUNEPLANE_JOB_ROLLOUT_UPLOAD_SAMPLES"
VALIDATION_SAMPLES = "TUNEPLANE_JOB_VAL_UPLOAD_SAMPLES"
MOST = 32
WHOLE_COHORT = 128
"""Validation text is kept whole up to here, by default."""


class CapUnusable(ValueError):
    """The variable holds no whole number from 0, so it is not known how much text may leave."""


def rollout_cap(env: Mapping[str, str]) -> int:
    """Training samples a step, 0 to 32: the variable may lower the 32, not raise it. Raises CapUnusable."""
    given = _given(env, ROLLOUT_SAMPLES)
    return MOST if given is None else min(given, MOST)


def validation_cap(env: Mapping[str, str]) -> int | None:
    """Validation samples of a round; None: all of up to 128, of more 32. Raises CapUnusable."""
    return _given(env, VALIDATION_SAMPLES)


def _given(env: Mapping[str, str], name: str) -> int | None:
    text = env.get(name, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):  # noqa: PLR2004 - digits of what counts samples
        message = f"{name} is {text[:40]!r}: it has to be a whole number from 0"
        raise CapUnusable(message)
    return int(text)
