"""Which of two runs is ahead by a metric; nobody is where it is not established that both mean the same.

A comparison identity is the experiment owner's assertion that formula, population and sampling settings agree. Absent
or different identities establish no ranking, nor does a name that is merely the same. Source: SPEC "Method coverage and
Agent observations", RULINGS "no ranking where comparison identities are absent or differ".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

ComparisonVerdict = Literal["same", "different", "absent"]
Ahead = Literal["left", "right", "equal"]


class MetricEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What one run says of a metric. None: it does not say."""

    value: float | None
    """Its latest value."""
    comparison_id: str | None
    direction: str | None
    """`higher` or `lower` is better; anything else ranks nothing."""


def comparison_verdict(left: MetricEvidence, right: MetricEvidence) -> ComparisonVerdict:
    """Whether both sides assert the same comparison identity; `absent` where a side asserts none."""
    if not left.comparison_id or not right.comparison_id:
        return "absent"
    return "same" if left.comparison_id == right.comparison_id else "different"


def comparison_among(identities: Iterable[str | None]) -> ComparisonVerdict:
    """The same of any number of runs: `absent` where one of them asserts none, `different` where two differ."""
    asserted = set(identities)
    if not all(asserted):
        return "absent"
    return "different" if len(asserted) > 1 else "same"


def ahead(left: MetricEvidence, right: MetricEvidence) -> Ahead | None:
    """Which side has the better value; None where identities, directions or values do not allow to say."""
    if comparison_verdict(left, right) != "same" or left.direction != right.direction:
        return None
    if left.direction not in ("higher", "lower") or left.value is None or right.value is None:
        return None
    if left.value == right.value:
        return "equal"
    return "left" if (left.value > right.value) == (left.direction == "higher") else "right"
