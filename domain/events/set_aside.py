"""Losing is a fact too: a different report for a taken identity, recorded once."""

from __future__ import annotations

from uuid import UUID

from domain.events.base import AttemptEvent


class ReportSetAside(AttemptEvent, frozen=True, kw_only=True, omit_defaults=True, tag="report-set-aside.v1"):
    standing_stream: UUID
    standing_version: int
    """The identity that was taken; the event there stands."""
    reported_tag: str
    reported: bytes
    """Payload of the losing event, as it would have been stored."""
