"""Validation samples: conversations and rewards."""

from __future__ import annotations

from typing import Any

import msgspec

from domain.events.base import AttemptEvent
from domain.ids import RoundId


class Sample(msgspec.Struct, frozen=True, omit_defaults=True):
    idx: int
    user: str
    assistant: str
    env: str = ""
    reward: float | None = None
    extra: dict[str, Any] = {}


class SampleSummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """What chunk 0 says of the whole round; None where the producer did not say."""

    avg_reward: float | None = None
    accuracy: float | None = None
    avg_len: float | None = None
    dist: tuple[dict[str, Any], ...] | None = None


class SamplesReported(AttemptEvent, frozen=True, kw_only=True, omit_defaults=True, tag="samples-reported.v1"):
    round_id: RoundId
    step: int
    chunk_index: int
    total_chunks: int
    samples: tuple[Sample, ...]
    total_samples: int | None = None
    summary: SampleSummary | None = None
    """Only in chunk 0."""
