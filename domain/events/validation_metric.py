"""Aggregate metrics of an evaluation round, as the producer computed them."""

from __future__ import annotations

from typing import Literal

from domain.events.base import AttemptEvent
from domain.ids import RoundId


class ValidationMetricReported(
    AttemptEvent, frozen=True, kw_only=True, omit_defaults=True, tag="validation-metric-reported.v1"
):
    round_id: RoundId
    key: str
    value: float
    unit: Literal["ratio", "native"]
    ts: str | None = None
