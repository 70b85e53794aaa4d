"""Hyperparameters: snapshots that merge, later keys over earlier ones."""

from __future__ import annotations

from domain.events import HyperparametersReported
from domain.ids import stream_id
from domain.placement import Placement
from domain.rules import latest_version_shows


def report_hyperparameters(event: HyperparametersReported) -> Placement:
    """The next snapshot of the attempt, unless it repeats the latest.

    A snapshot has no identity: a late retry of an older one is recorded again, and its keys merge over newer ones.
    """
    return latest_version_shows.place(event, stream_id(event.run, event.attempt, "hyperparameters"))
