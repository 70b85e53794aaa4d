"""Two evaluation rounds are matched where their producers declared the same four digests.

A difference of success rates is shown only for matched rounds that are both completely scored. It is an observed
difference, no statistical proof, and nobody certifies the declarations. Source: SPEC "Inspect complete result
metadata", RULINGS "`matched` is decided by the four digests alone".
"""

from __future__ import annotations

import msgspec
from tuneplane.contract import DIGEST_FIELDS

from domain.events.protocol import ProtocolDeclared
from domain.rules.outcome_counts import OutcomeCounts
from domain.rules.success_rate import success_rate


class RoundEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What one side of a comparison is known to be."""

    protocol: ProtocolDeclared | None
    expected: int | None
    """Declared population; None is unknown."""
    counts: OutcomeCounts


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    matched: bool
    mismatches: tuple[str, ...]
    """Digests that differ or are missing, `protocol` first where a side declared none. Split and checkpoint are what
    a comparison is about and never among them."""
    difference: float | None
    """Right minus left success rate; None where the rounds are not matched or not completely scored."""


def compare(left: RoundEvidence, right: RoundEvidence) -> Comparison:
    """What may be said of `right` against `left`."""
    found = mismatches(left.protocol, right.protocol)
    return Comparison(matched=not found, mismatches=found, difference=None if found else _difference(left, right))


def mismatches(left: ProtocolDeclared | None, right: ProtocolDeclared | None) -> tuple[str, ...]:
    """The digest fields in which two protocols are not the same; all of them where one is missing."""
    if left is None or right is None:
        return ("protocol", *DIGEST_FIELDS)
    return tuple(field for field in DIGEST_FIELDS if getattr(left, field) != getattr(right, field))


def completely_scored(side: RoundEvidence) -> bool:
    """Whether every declared trial was reported and scored, and none beside them."""
    counts = side.counts
    return side.expected == counts.reported == counts.success + counts.failure


def _difference(left: RoundEvidence, right: RoundEvidence) -> float | None:
    if not (completely_scored(left) and completely_scored(right)):
        return None
    before = success_rate(left.counts.success, left.counts.failure)
    after = success_rate(right.counts.success, right.counts.failure)
    return None if before is None or after is None else after - before
