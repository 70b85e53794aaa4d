"""Points held in memory: all series of one attempt, merged, and found by number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from application.ports.series_view import InvalidCounts
from application.series.columns import Batch, Ints, empty_batch, starts_of
from application.series.merge import NO_POINTS, Points, merged
from application.series.spans import SUMMARY, Rows
from application.series.summary import added, invalid_counts, summary_rows
from domain.events.series import InvalidPoint

NO_INVALID = InvalidCounts()
NO_ROWS = np.empty(0, SUMMARY)


class Held:
    """What was reported, in order of position; never changes."""

    def __init__(self, batch: Batch, invalid: dict[int, InvalidCounts]) -> None:
        """`batch` is merged; `invalid` by number."""
        self.batch = batch
        self.invalid = invalid
        self._starts: Ints = starts_of(batch.counts)
        self._places = {number: at for at, number in enumerate(batch.numbers.tolist())}
        self._summaries: Rows | None = None

    def __len__(self) -> int:
        return len(self.batch.steps)

    @property
    def size_bytes(self) -> int:
        """About what it takes."""
        return 24 * len(self.batch.steps) + 100 * (len(self.batch.numbers) + len(self.invalid))

    @property
    def numbers(self) -> set[int]:
        """Of the series that were reported, invalid measurements included."""
        return {*self._places, *self.invalid}

    def points(self, number: int) -> Points:
        """Of one series."""
        at = self._places.get(number)
        if at is None:
            return NO_POINTS
        part = slice(int(self._starts[at]), int(self._starts[at] + self.batch.counts[at]))
        return Points(self.batch.steps[part], self.batch.times[part], self.batch.values[part])

    def summary(self, number: int) -> Rows:
        """One `SUMMARY` row, or none."""
        at = self._places.get(number)
        if at is None:
            return NO_ROWS
        if self._summaries is None:
            self._summaries = summary_rows(self.batch)
        return self._summaries[at : at + 1]

    def invalid_of(self, number: int) -> InvalidCounts:
        """Of one series."""
        return self.invalid.get(number, NO_INVALID)

    def and_then(self, batches: Sequence[Batch], invalid: Iterable[InvalidPoint]) -> Held:
        """With what was reported later."""
        by_number: dict[int, list[InvalidPoint]] = {}
        for point in invalid:
            by_number.setdefault(point.number, []).append(point)
        more = {number: added(self.invalid_of(number), invalid_counts(each)) for number, each in by_number.items()}
        return Held(merged([self.batch, *batches]), {**self.invalid, **more})


NOTHING = Held(empty_batch(), {})
