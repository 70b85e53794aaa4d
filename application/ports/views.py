"""Where queries read: the views as they are, or as they were."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from application.ports.event_log import EventLog
from application.ports.records import RecordReader
from application.ports.series_view import SeriesReader
from domain.ids import Position, RunId


class Views(Protocol):
    """All views at one moment of the log."""

    records: RecordReader
    scalars: SeriesReader
    hardware: SeriesReader
    log: EventLog
    """For bodies that views only point at. Never read it past `position`."""
    position: Position
    """What the views have taken in."""


class Reading(Protocol):
    """Opens views for one question; synchronous."""

    def now(self, min_position: Position = Position(0)) -> AbstractContextManager[Views]:
        """The views as they are, waiting up to 2 s until they have taken in `min_position`.

        When they have not by then, `position` says how far they are.
        """
        ...

    def at(self, run: RunId, as_of: Position) -> AbstractContextManager[Views]:
        """The views of one run as they were when `as_of` was the last position."""
        ...
