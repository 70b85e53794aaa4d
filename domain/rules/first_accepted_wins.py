"""The first accepted fact stands: population, protocol, validation metric, outcome of an attempt, observation, samples.

A later report that differs is set aside and recorded once. Source: SPEC "the first accepted event wins".
"""

from __future__ import annotations

from domain.events import Event
from domain.ids import StreamId
from domain.placement import Placement, Verdict
from domain.rules.same_report import same_report


def place(event: Event, stream: StreamId, version: int = 1) -> Placement:
    """The place that the first accepted of all such events keeps."""
    return Placement(event=event, stream=stream, version=version, settle=settle)


def settle(standing: Event, reported: Event) -> Verdict:
    """A repeat is a duplicate; anything else is set aside."""
    return Verdict.DUPLICATE if same_report(standing, reported) else Verdict.SET_ASIDE
