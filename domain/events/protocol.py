"""What a producer declares about how a round was evaluated."""

from __future__ import annotations

from domain.events.base import AttemptEvent
from domain.ids import RoundId


class ProtocolDeclared(AttemptEvent, frozen=True, kw_only=True, omit_defaults=True, tag="protocol-declared.v1"):
    """The producer's declaration; nobody certifies it."""

    round_id: RoundId
    dataset_digest: str
    cohort_digest: str
    verifier_digest: str
    settings_digest: str
    split: str
    checkpoint: str
    ts: str | None = None
