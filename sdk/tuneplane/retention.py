"""Of which trials the text is kept. Source: SPEC, "The lm-eval integration sends all native result records"."""

from __future__ import annotations

from collections.abc import Mapping

VARIABLE = "TUNEPLANE_JOB_VAL_UPLOAD_SAMPLES"
WHOLE_COHORT = 128
_OF_LARGER = 32
_DIGITS = 9


class CapUnusable(ValueError):
    """The variable that bounds retained text is no whole number from 0."""


def retained(cohort: int, cap: int | None) -> int:
    """How many of a cohort of this size keep their text; `cap` overrides, 0 keeps none."""
    if cap is not None:
        return min(cohort, cap)
    return cohort if cohort <= WHOLE_COHORT else _OF_LARGER


def cap_from(env: Mapping[str, str], variable: str = VARIABLE) -> int | None:
    """None where the variable is not set. Raises CapUnusable: then it is not known how much text may leave."""
    text = env.get(variable, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        message = f"{variable} is {text!r:.50}: it has to be a whole number from 0"
        raise CapUnusable(message)
    return int(text)


def spread(count: int, kept: int) -> list[int]:
    """`kept` of `count` positions, evenly apart: a part of the cohort that is the same for every model."""
    return [at * count // kept for at in range(min(kept, count))]
