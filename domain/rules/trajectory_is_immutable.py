"""A retained trajectory never changes: the same bytes again are the same, other bytes are refused.

Source: SPEC "A retained identity is immutable, so use a new trial attempt for a different execution".
"""

from __future__ import annotations

from domain.events import Event, TrajectoryStored
from domain.ids import StreamId
from domain.placement import Placement, Verdict


def place(event: TrajectoryStored, stream: StreamId) -> Placement:
    """The one place of a trajectory identity."""
    return Placement(event=event, stream=stream, version=1, settle=settle)


def settle(standing: Event, reported: Event) -> Verdict:
    """By the digest of the body; when it was kept and until when does not matter."""
    same = (
        isinstance(standing, TrajectoryStored)
        and isinstance(reported, TrajectoryStored)
        and standing.body_digest == reported.body_digest
    )
    return Verdict.DUPLICATE if same else Verdict.TAKEN
