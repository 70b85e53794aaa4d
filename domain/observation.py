"""Observations, and the contract that says what they mean."""

from __future__ import annotations

from domain.events import ObservationContractDeclared, ObservationReported
from domain.ids import stream_id
from domain.placement import Placement
from domain.rules import first_accepted_wins, latest_version_shows


def report_observation(event: ObservationReported) -> Placement:
    """An id names one observation of an attempt: the first accepted stands."""
    return first_accepted_wins.place(event, stream_id(event.run, event.attempt, "observation", event.id))


def declare_contract(event: ObservationContractDeclared) -> Placement:
    """The next version of the attempt's contract, unless it repeats the latest."""
    return latest_version_shows.place(event, stream_id(event.run, event.attempt, "contract"))
