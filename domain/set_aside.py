"""The record of a report that lost its identity to an earlier one."""

from __future__ import annotations

import hashlib

from domain.events import Event, ReportSetAside, encode, tag_of
from domain.ids import Attempt, stream_id
from domain.placement import Placement, Verdict
from domain.rules.same_report import without_clock


def set_aside(losing: Placement, version: int) -> Placement:
    """Recorded once for each different content: the stream is keyed by what was said, the clock left out."""
    event = losing.event
    record = ReportSetAside(
        run=event.run,
        attempt=Attempt(getattr(event, "attempt", 0)),
        standing_stream=losing.stream,
        standing_version=version,
        reported_tag=tag_of(event),
        reported=encode(event),
    )
    said = hashlib.sha256(encode(without_clock(event))).hexdigest()
    stream = stream_id(losing.stream.hex, version, "set-aside", said)
    return Placement(event=record, stream=stream, version=1, settle=_on_record)


def _on_record(standing: Event, reported: Event) -> Verdict:
    del standing, reported
    return Verdict.DUPLICATE
