"""Validation samples: sent in chunks, each accepted once."""

from __future__ import annotations

from domain.events import SamplesReported
from domain.ids import stream_id
from domain.placement import Placement
from domain.rules import first_accepted_wins


def report_samples(event: SamplesReported) -> Placement:
    """The first accepted chunk of this index stands, whatever the order of arrival."""
    stream = stream_id(event.run, event.attempt, "samples", event.round_id, event.chunk_index)
    return first_accepted_wins.place(event, stream)
