"""A batch that a client numbers is one event, however often it is sent.

Our client opens a writer session (a nonce fresh for each process) and numbers its batches from 1. Other
content under a taken number is set aside: the first accepted stands. Source: DESIGN "Identity is the rule".
"""

from __future__ import annotations

from domain.events import HardwareSampled, LogReported, MetricsReported
from domain.ids import stream_id
from domain.placement import Placement
from domain.rules import first_accepted_wins


def place(
    event: MetricsReported | HardwareSampled | LogReported, channel: str, session: str, sequence: int
) -> Placement:
    """The place of batch `sequence` (from 1; gaps are legal) of a writer session."""
    stream = stream_id(event.run, event.attempt, channel, "session", session)
    return first_accepted_wins.place(event, stream, sequence)
