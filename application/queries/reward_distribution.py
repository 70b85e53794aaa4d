"""How rewards are distributed, as the producer reports it: never counted from the samples that were kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec

_COUNTS = ("count", "n", "samples")


class Bin(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the distribution."""

    label: str
    count: float


class RewardDistribution(msgspec.Struct, frozen=True, kw_only=True):
    bins: list[Bin]
    """In the order of the producer; empty where an entry has no count."""
    entries: list[str]
    """Where there are no bins: the entries as JSON."""


def reward_distribution(reported: Sequence[dict[str, Any]]) -> RewardDistribution:
    """An entry counts by its field `count`, `n` or `samples`; the others say what it counts."""
    bins = [_bin(entry) for entry in reported]
    whole = [one for one in bins if one is not None]
    if len(whole) == len(bins):
        return RewardDistribution(bins=whole, entries=[])
    return RewardDistribution(bins=[], entries=[json.dumps(entry, ensure_ascii=False) for entry in reported])


def _bin(entry: dict[str, Any]) -> Bin | None:
    for name in _COUNTS:
        count = entry.get(name)
        if isinstance(count, int | float) and not isinstance(count, bool) and count >= 0:
            others = [f"{field} {_text(value)}" for field, value in entry.items() if field != name]
            return Bin(label=", ".join(others), count=count)
    return None


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
