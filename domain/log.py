"""Pieces of what a job printed."""

from __future__ import annotations

from domain.events import LogReported
from domain.ids import stream_id
from domain.placement import Placement
from domain.rules import append_next, writer_session


def report_numbered(event: LogReported, session: str, sequence: int) -> Placement:
    """Pieces of our client: sent again, they are the same event."""
    return writer_session.place(event, "logs", session, sequence)


def report_unnumbered(event: LogReported) -> Placement:
    """Pieces of another client: a late retry may repeat them."""
    return append_next.place(event, stream_id(event.run, event.attempt, "logs"))
