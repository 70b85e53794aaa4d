"""Seconds since the epoch as people and the wire read them."""

from __future__ import annotations

from datetime import datetime, timezone


def iso(seconds: float) -> str:
    """ISO-8601 in UTC. Raises ValueError, OverflowError or OSError for what is no time."""
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat()


def iso_or_none(seconds: float | None) -> str | None:
    """None for what is unknown, or no time."""
    try:
        return None if seconds is None else iso(seconds)
    except (ValueError, OverflowError, OSError):
        return None


def said_times(began: float | None, ended: float | None = None) -> list[str]:
    """A line on when a run took place, for its notes; none where the source does not say."""
    words = [f"{word} {text}" for word, text in (("from", iso_or_none(began)), ("to", iso_or_none(ended))) if text]
    return [" ".join(words)] if words else []
