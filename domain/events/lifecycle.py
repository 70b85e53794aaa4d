"""What the runner says of an execution attempt."""

from __future__ import annotations

from typing import Literal

from domain.events.base import AttemptEvent

LifecycleName = Literal["starting", "running", "succeeded", "failed"]


class LifecycleReported(AttemptEvent, frozen=True, kw_only=True, omit_defaults=True, tag="lifecycle-reported.v1"):
    event: LifecycleName
    ts: str | None = None
    """Reporter's clock, ISO-8601 as sent; None where it sent none."""
