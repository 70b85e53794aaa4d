"""Which numbers the series of recent runs have, so that most batches are placed without reading anything."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence

from application.ports.event_log import EventLog
from domain.events import SeriesOpened, decode
from domain.events.series import Family
from domain.ids import RunId
from domain.placement import Placement
from domain.series import open_series, series_stream


class SeriesNumbers:
    """Numbers of both families, remembered for the runs last asked for. For all threads.

    Only what the log holds is remembered, and a number never changes: what is remembered may be incomplete,
    never wrong.
    """

    def __init__(self, runs: int = 256) -> None:
        """Remembers `runs` families of runs, each of at most 4,096 keys."""
        self._most = runs
        self._known: OrderedDict[tuple[RunId, Family], dict[str, int]] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, run: RunId, family: Family, keys: Sequence[str]) -> list[int] | None:
        """The numbers of `keys`; None where one of them is not remembered. Never waits."""
        with self._lock:
            numbers = self._known.get((run, family))
            if numbers is None:
                return None
            self._known.move_to_end((run, family))
            try:
                return [numbers[key] for key in keys]
            except KeyError:
                return None

    def first(self, run: RunId, family: Family) -> dict[str, int]:
        """The series of a run from number 1 on, as far as they are remembered without a gap."""
        with self._lock:
            numbers = dict(self._known.get((run, family), {}))
        return numbers if max(numbers.values(), default=0) == len(numbers) else {}

    def remember(self, run: RunId, family: Family, numbers: Mapping[str, int]) -> None:
        """Adds committed numbers; forgets the runs asked for longest ago."""
        with self._lock:
            self._known.setdefault((run, family), {}).update(numbers)
            self._known.move_to_end((run, family))
            while len(self._known) > self._most:
                self._known.popitem(last=False)

    def learned(self, placements: Iterable[Placement]) -> None:
        """Remembers the series that these placements opened; call it after they were committed."""
        for placement in placements:
            event = placement.event
            if isinstance(event, SeriesOpened):
                self.remember(event.run, event.family, {event.key: event.number})


def numbered(
    log: EventLog, numbers: SeriesNumbers, run: RunId, family: Family, keys: Sequence[str]
) -> tuple[list[int], list[Placement]]:
    """The numbers of `keys`, and the placements that open those the run lacks. Reads what is new to it from the log.

    Raises `SeriesLimitReached` where the run has no room for them. Where another writer opens a series first, the
    placements meet `StreamMovedOn`: ask again.
    """
    known = numbers.first(run, family)
    # A run at its limit asks with every batch, and one that opens its series one by one asks as often as it has series.
    stored = log.stream(series_stream(run, family), after_version=len(known))
    opened = (decode(one.tag, one.payload) for one in stored if one.payload)
    known |= {event.key: event.number for event in opened if isinstance(event, SeriesOpened)}
    numbers.remember(run, family, known)
    placements = open_series(run, family, known, keys)
    new = {placed.event.key: placed.event.number for placed in placements if isinstance(placed.event, SeriesOpened)}
    return [new[key] if key in new else known[key] for key in keys], placements
