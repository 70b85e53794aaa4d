"""What the job printed."""

from __future__ import annotations

from domain.events.base import AttemptEvent


class LogReported(AttemptEvent, frozen=True, kw_only=True, omit_defaults=True, tag="log-reported.v1"):
    pieces: tuple[str, ...]
    """Text as printed, in order: a piece may end mid-line and hold `\\r`, ANSI codes and any Unicode."""
    eof: bool = False
    """Nothing follows in this attempt."""
