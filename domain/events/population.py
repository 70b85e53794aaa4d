"""How many trials an evaluation round was planned to have."""

from __future__ import annotations

from domain.events.base import AttemptEvent
from domain.ids import RoundId


class PopulationDeclared(AttemptEvent, frozen=True, kw_only=True, omit_defaults=True, tag="population-declared.v1"):
    round_id: RoundId
    expected: int
    """Trials planned, those included that may fail before scoring."""
    ts: str | None = None
