"""Samples of a validation round, as far as their text is kept."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tuneplane.clipping import clipped
from tuneplane.contract import FIELD_CHARS_DEFAULT, INT64_MAX, SAMPLES_PER_CHUNK_DEFAULT
from tuneplane.foreign import Foreign
from tuneplane.retention import cap_from, retained, spread
from tuneplane.terminal import shown

if TYPE_CHECKING:
    from tuneplane.reporter import Reporter

CHUNK = "TUNEPLANE_JOB_VAL_CHUNK"
FIELD_CHARS = "TUNEPLANE_JOB_VAL_FIELD_CHARS"
_MOST_CHARS = 20 * 1024
"""Four bytes a character at most: two of them and what is extra are within the 256 KiB of a sample."""
_EXTRA_FIELDS, _EXTRA_CHARS = 32, 512


def sample(idx: int, *, user: str, assistant: str, reward: float | None, extra: Mapping[str, Any]) -> dict[str, Any]:
    """One sample. `reward` is None where there is none, or it is not finite."""
    longest = min(max(_setting(os.environ, FIELD_CHARS, FIELD_CHARS_DEFAULT), 64), _MOST_CHARS)
    made: dict[str, Any] = {"idx": idx, "user": clipped(user, longest), "assistant": clipped(assistant, longest)}
    if reward is not None and math.isfinite(reward):
        made["reward"] = reward
    kept = {shown(str(name))[:128]: _small(value) for name, value in list(extra.items())[:_EXTRA_FIELDS]}
    return {**made, "extra": kept} if kept else made


def send_samples(reporter: Reporter, step: int, samples: Sequence[Mapping[str, Any]], *, rows: int | None) -> int:
    """Sends the samples that are kept, spread over the round; how many. The round is `str(step)`.

    `rows` are all that the round had, those that could not be read included; None: not known. Its size is told only
    where `samples` are the whole of it. Raises ReporterError, and CapUnusable where it is not known how much text may
    leave.
    """
    total = rows if rows == len(samples) else None
    most = retained(len(samples) if rows is None else rows, cap_from(os.environ))
    kept = [samples[at] for at in spread(len(samples), min(most, len(samples)))]
    chunk = max(_setting(os.environ, CHUNK, SAMPLES_PER_CHUNK_DEFAULT), 1)
    chunks = [kept[at : at + chunk] for at in range(0, len(kept), chunk)]
    for at, some in enumerate(chunks):
        reporter.validation(step, some, chunk_index=at, total_chunks=len(chunks), total_samples=total)
    return len(kept)


def _small(value: Foreign) -> Foreign:
    """What JSON holds as it is, bounded; anything else as text. Not a number is text too: JSON has no word for it."""
    if value is None or (isinstance(value, int) and -INT64_MAX <= value <= INT64_MAX):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return clipped(str(value), _EXTRA_CHARS)


def _setting(env: Mapping[str, str], name: str, default: int) -> int:
    text = env.get(name, "").strip()
    return int(text) if text.isascii() and text.isdigit() else default
