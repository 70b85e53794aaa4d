"""Events, histograms and health that a run observes, and the contract that says what they mean."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from domain.events.base import AttemptEvent

ObservationKind = Literal["event", "histogram", "health"]


class ObservationReported(AttemptEvent, frozen=True, kw_only=True, omit_defaults=True, tag="observation-reported.v1"):
    id: str
    kind: ObservationKind
    name: str
    ts: str
    """Reporter's clock, as sent."""
    step: int | None = None
    policy_version: int | None = None
    values: dict[str, bool | int | float | str] = msgspec.field(default_factory=dict)
    bounds: tuple[int | float, ...] | None = None
    """Histograms: strictly increasing upper bounds; `counts` has one entry more, for the overflow."""
    counts: tuple[int, ...] | None = None


class ObservationContractDeclared(
    AttemptEvent, frozen=True, kw_only=True, omit_defaults=True, tag="observation-contract-declared.v1"
):
    contract: dict[str, Any]
    """As sent (CONTRACT.md "Observation contract"); checked when it came in."""
