"""What a run produced."""

from __future__ import annotations

from typing import Any

from domain.events.base import AttemptEvent


class ArtifactRegistered(AttemptEvent, frozen=True, kw_only=True, omit_defaults=True, tag="artifact-registered.v1"):
    kind: str
    path: str
    """Text to show; never opened by the server."""
    format: str
    step: int | None = None
    size_bytes: int | None = None
    metrics: dict[str, Any] | None = None
    completion: dict[str, Any] | None = None
    """The producer's evidence that it is complete, as sent; checked against the contract when it came in."""
