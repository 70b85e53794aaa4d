"""Decisions that rest on a stream's state hold only while nobody extended it.

For runs' attempts, series numbers and lifecycle. Who comes second reads again and decides again.
"""

from __future__ import annotations

from domain.events import Event
from domain.ids import StreamId
from domain.placement import Placement, Verdict


def place(event: Event, stream: StreamId, version: int) -> Placement:
    """The place right behind the state that was read."""
    return Placement(event=event, stream=stream, version=version, settle=settle)


def settle(standing: Event, reported: Event) -> Verdict:
    """Somebody else extended the stream, whatever was said."""
    del standing, reported
    return Verdict.MOVED_ON
