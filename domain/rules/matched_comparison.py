"""Two evaluation rounds are matched where their producers declared the same four digests.

A difference of success rates is shown only for matched rounds that are both completely scored. It is an observed
difference, no statistical proof, and nobody certifies the declarations. Source: SPEC "Inspect complete result
metadata", RULINGS "`matched` is decided by the four digests alone".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec
from tuneplane.contract import DIGEST_FIELDS

from domain.events.protocol import ProtocolDeclared
from domain.rules.outcome_counts import OutcomeCounts
from domain.rules.success_rate import success_rate

Agreement = Literal["equal", "differs", "missing"]
ShortfallKind = Literal["population_unknown", "exceeded", "not_reported", "infra_error", "unscored", "nothing_scored"]


class RoundEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What one side of a comparison is known to be."""

    protocol: ProtocolDeclared | None
    expected: int | None
    """Declared population; None is unknown."""
    counts: OutcomeCounts


class Shortfall(msgspec.Struct, frozen=True, kw_only=True):
    """One thing for which a round is not completely scored."""

    kind: ShortfallKind
    trials: int | None
    """How many trials it concerns; None where it concerns no number of them."""


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


def agreement(field: str, left: ProtocolDeclared | None, right: ProtocolDeclared | None) -> Agreement:
    """Whether both sides declared the same digest `field`; `missing` where a side declared none."""
    if left is None or right is None:
        return "missing"
    return "equal" if getattr(left, field) == getattr(right, field) else "differs"


def mismatches(left: ProtocolDeclared | None, right: ProtocolDeclared | None) -> tuple[str, ...]:
    """The digest fields in which two protocols are not the same; all of them where one is missing."""
    found = tuple(field for field in DIGEST_FIELDS if agreement(field, left, right) != "equal")
    return ("protocol", *found) if left is None or right is None else found


def completely_scored(side: RoundEvidence) -> bool:
    """Whether every declared trial was reported and scored, and none beside them."""
    counts = side.counts
    return side.expected == counts.reported == counts.success + counts.failure


def shortfalls(side: RoundEvidence) -> tuple[Shortfall, ...]:
    """Why a round's rate may be in no difference; none where it is completely scored and has a rate."""
    return tuple(_shortfalls(side))


def _shortfalls(side: RoundEvidence) -> Iterator[Shortfall]:
    counts = side.counts
    if side.expected is None:
        yield Shortfall(kind="population_unknown", trials=None)
    elif counts.reported > side.expected:
        yield Shortfall(kind="exceeded", trials=counts.reported - side.expected)
    elif counts.reported < side.expected:
        yield Shortfall(kind="not_reported", trials=side.expected - counts.reported)
    if counts.infra_error:
        yield Shortfall(kind="infra_error", trials=counts.infra_error)
    if counts.unscored:
        yield Shortfall(kind="unscored", trials=counts.unscored)
    if not counts.success + counts.failure:
        yield Shortfall(kind="nothing_scored", trials=None)


def _difference(left: RoundEvidence, right: RoundEvidence) -> float | None:
    if not (completely_scored(left) and completely_scored(right)):
        return None
    before = success_rate(left.counts.success, left.counts.failure)
    after = success_rate(right.counts.success, right.counts.failure)
    return None if before is None or after is None else after - before
