"""Aggregate metrics of an evaluation round."""

from __future__ import annotations

from domain.events import ValidationMetricReported
from domain.ids import stream_id
from domain.placement import Placement
from domain.rules import first_accepted_wins


def report_validation_metric(event: ValidationMetricReported) -> Placement:
    """The first accepted value of a key in a round stands."""
    stream = stream_id(event.run, event.attempt, "validation-metric", event.round_id, event.key)
    return first_accepted_wins.place(event, stream)
