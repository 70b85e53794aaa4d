"""Bodies that carry no number of their own: sent again to the byte, they are the same event.

For metrics and hardware of clients other than ours. Source: DESIGN "Identity is the rule".
"""

from __future__ import annotations

from domain.events import Event, HardwareSampled, MetricsReported
from domain.ids import stream_id
from domain.placement import Placement, Verdict


def place(event: MetricsReported | HardwareSampled, channel: str, body_digest: bytes) -> Placement:
    """The place of the body whose SHA-256 (after inflating) is `body_digest`."""
    stream = stream_id(event.run, event.attempt, channel, "body", body_digest.hex())
    return Placement(event=event, stream=stream, version=1, settle=settle)


def settle(standing: Event, reported: Event) -> Verdict:
    """Always a duplicate: the bodies are equal; times of receipt filled in by the server may differ."""
    del standing, reported
    return Verdict.DUPLICATE
