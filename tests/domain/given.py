"""Stories about the log: given what was reported, when this is reported, then that is recorded.

The log here is a model: a dictionary of places, and what a `Verdict` says in words. It shares nothing with the logs
that the server runs on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import pytest

from domain.errors import DomainFault, IdentityTaken, StreamMovedOn
from domain.events import Event, ReportSetAside, decode
from domain.placement import Placement, Verdict
from domain.set_aside import set_aside


class ModelLog:
    """Every place taken so far, and what became of the reports."""

    def __init__(self) -> None:
        self.places: dict[tuple[object, int], Event] = {}
        self.recorded: list[Event] = []
        self.duplicates = 0
        self.losing: list[Event] = []

    def append(self, placement: Placement) -> None:
        latest = max((version for stream, version in self.places if stream == placement.stream), default=0)
        version = latest if placement.version is None else placement.version
        standing = self.places.get((placement.stream, version))
        if standing is None:
            self._record(placement, version or 1)
            return
        match placement.settle(standing, placement.event):
            case Verdict.DUPLICATE:
                self.duplicates += 1
            case Verdict.SET_ASIDE:
                self.losing.append(placement.event)
                record = set_aside(placement, version)
                if (record.stream, 1) not in self.places:
                    self._record(record, 1)
            case Verdict.NEXT_VERSION:
                self._record(placement, latest + 1)
            case Verdict.TAKEN:
                raise IdentityTaken
            case Verdict.MOVED_ON:
                raise StreamMovedOn

    def _record(self, placement: Placement, version: int) -> None:
        self.places[placement.stream, version] = placement.event
        self.recorded.append(placement.event)


class Story:
    def __init__(self, log: ModelLog) -> None:
        self._log = log
        self._before = len(log.recorded), log.duplicates, len(log.losing)
        self._placements: list[Placement] = []

    def when(self, *placements: Placement | Iterable[Placement]) -> Self:
        for one in placements:
            self._placements += [one] if isinstance(one, Placement) else one
        return self

    def then(
        self, *recorded: Event, duplicates: int = 0, set_aside: Iterable[Event] = (), lost_again: Iterable[Event] = ()
    ) -> None:
        """Exactly these events are new, so many reports were repeats, and these lost: for the first time, and again."""
        for placement in self._placements:
            self._log.append(placement)
        new = self._log.recorded[self._before[0] :]
        records = [event for event in new if isinstance(event, ReportSetAside)]
        assert [event for event in new if not isinstance(event, ReportSetAside)] == list(recorded)
        assert self._log.duplicates - self._before[1] == duplicates
        assert self._log.losing[self._before[2] :] == [*set_aside, *lost_again]
        assert [decode(one.reported_tag, one.reported) for one in records] == list(set_aside)

    def refused(self, why: type[DomainFault]) -> None:
        with pytest.raises(why):
            self.then()


def given(*placements: Placement | Iterable[Placement]) -> Story:
    log = ModelLog()
    for one in placements:
        for placement in [one] if isinstance(one, Placement) else one:
            log.append(placement)
    return Story(log)


def events_of(*placements: Placement | Iterable[Placement]) -> list[Event]:
    """What the log holds after these reports, in order, losing reports included."""
    log = ModelLog()
    for one in placements:
        for placement in [one] if isinstance(one, Placement) else one:
            log.append(placement)
    return log.recorded
