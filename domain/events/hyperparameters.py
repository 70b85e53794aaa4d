"""How a run was configured."""

from __future__ import annotations

from typing import Any

from domain.events.base import AttemptEvent


class HyperparametersReported(
    AttemptEvent, frozen=True, kw_only=True, omit_defaults=True, tag="hyperparameters-reported.v1"
):
    params: dict[str, Any]
    """Flat; later keys merge over earlier ones. Values are JSON values."""
