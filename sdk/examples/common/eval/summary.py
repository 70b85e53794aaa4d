"""What a snapshot says, for the person who prepared it: counts as the Validation tab will show them, and reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

_REASONS = 20
_STATUSES = ("success", "failure", "infra_error", "unscored")


def summary(bundle: Mapping[str, Any]) -> list[str]:
    """Lines. Counts are of trials, by their highest attempt; a planned trial without attempts is not reported."""
    planned = bundle["population"]["expected"]
    outcomes = bundle["outcomes"]
    current = {one["trial_id"]: one for one in outcomes}  # a trial's attempts stand in rising order
    counts = Counter(one["status"] for one in current.values())
    told = ", ".join(f"{status} {counts[status]:,}" for status in _STATUSES)
    return [
        f"round: {bundle['round_id']}",
        f"{planned:,} trials planned, {len(outcomes):,} attempts",
        f"trials: {told}, not reported {planned - len(current):,}",
        f"text kept: {_text_kept(len(bundle['trajectories']))}",
        *_legacy(bundle["legacy_texts"]),
        *_reasons(outcomes),
    ]


def _legacy(count: int) -> list[str]:
    return [f"text not read: {count:,} attempts left an agent/litellm-trajectory.jsonl alone"] if count else []


def _reasons(outcomes: list[dict[str, Any]]) -> list[str]:
    """Reasons of attempts, the most frequent first, each with its first trial."""
    first: dict[tuple[str, str], dict[str, Any]] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for one in outcomes:
        if one["reason"]:
            key = (one["status"], one["reason"])
            counts[key] += 1
            first.setdefault(key, one)
    listed = [
        f"  {count:,} {status}: {reason} ({_example(first[status, reason])})"
        for (status, reason), count in counts.most_common(_REASONS)
    ]
    more = len(counts) - len(listed)
    return [
        *(["reasons, of attempts:"] if listed else []),
        *listed,
        *([f"  and {more:,} more, all in the snapshot"] if more else []),
    ]


def _example(one: Mapping[str, Any]) -> str:
    return f"{one['trial_id']}, attempt {one['trial_attempt']}"


def _text_kept(trajectories: int) -> str:
    if trajectories == 0:
        return "none"
    return f"{trajectories} {'trajectory' if trajectories == 1 else 'trajectories'}, sampled and incomplete"
