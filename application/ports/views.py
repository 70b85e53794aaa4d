"""Where queries read: the views as they are, or as they were."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

import msgspec

from application.ports.event_log import EventLog
from application.ports.record_pairs import PairReader
from application.ports.series_view import SeriesReader
from domain.ids import Micros, Position, RunId

START = Position(0)
"""Before the first event."""


class ProjectionFault(msgspec.Struct, frozen=True, kw_only=True):
    """A projection could not take in an event of a run, and leaves that run alone from there on."""

    projection: str
    position: Position
    """Of the event."""
    error: str
    """Class and place of the error; never what was reported."""
    at: Micros


class Views(Protocol):
    """All views at one moment of the log."""

    records: PairReader
    scalars: SeriesReader
    hardware: SeriesReader
    log: EventLog
    """For bodies that views only point at. Never read it past `position`."""
    position: Position
    """What the views have taken in."""

    def changed(self, after: Position, most: int) -> set[RunId] | None:
        """Runs of which something behind `after` was taken in, perhaps some of which it will be soon.

        None where more than `most` events would have to be looked at.
        """
        ...

    def faults(self, run: RunId) -> list[ProjectionFault]:
        """What is missing in the views of this run, by name of the projection; usually nothing."""
        ...


class Reading(Protocol):
    """Opens views for one question; synchronous."""

    def now(self, min_position: Position = START) -> AbstractContextManager[Views]:
        """The views as they are, waiting up to 2 s until they have taken in `min_position`.

        When they have not by then, `position` says how far they are.
        """
        ...

    def at(self, run: RunId, as_of: Position, *beside: RunId) -> AbstractContextManager[Views]:
        """The views of one run, and of others beside it, as they were when `as_of` was the last position.

        Raises `Refused` where the log has not come so far: nobody knows yet what will be there.
        """
        ...

    def await_news(self, after: Position, seconds: float) -> Position:
        """Waits until the views are known to have taken in something behind `after`, `seconds` at most.

        Answers how far they are then known to be. Raises `TryAgain` where the store is away.
        """
        ...
