"""Reporting scalar points: a batch becomes one event, and each of its new series one more.

First ask `known`; on None ask `with_new_series`, in a thread. Append the placements as one request; on `StreamMovedOn`
(another writer opened a series) ask `with_new_series` again. Once they are committed, call `learned`.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from application.ports.event_log import EventLog
from application.series.columns import Batch, Floats, Ints, pack
from application.series.numbers import SeriesNumbers, numbered
from domain.events import HardwareSampled, MetricsReported
from domain.events.series import Columns, InvalidKind, InvalidPoint
from domain.ids import Attempt, RunId
from domain.placement import Placement
from domain.series import report_numbered, report_unnumbered


class InvalidReport(msgspec.Struct, frozen=True):
    """A reported measurement that was no finite number."""

    key: str
    step: int
    kind: InvalidKind
    time: int
    """Microseconds since the epoch."""


class SeriesBatch(msgspec.Struct, frozen=True, kw_only=True):
    """Checked points of several series, one series after the other. A key may come twice, or have no points."""

    keys: list[str]
    counts: Ints
    """Finite points of each series, 0 or more."""
    steps: Ints
    """0 or more; microseconds since the epoch for hardware."""
    times: Ints
    """Microseconds since the epoch."""
    values: Floats
    """Finite."""
    invalid: Sequence[InvalidReport] = ()
    """Their keys need not be among `keys`."""


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """What makes a batch the same batch when it is sent again."""

    session: str | None = None
    """The client's writer session; None for a client that does not number its batches."""
    sequence: int = 0
    """Of the batch in its session, from 1."""
    body_digest: bytes = b""
    """SHA-256 of the body after inflating, for a batch without a session."""


class MetricsReport(msgspec.Struct, frozen=True, kw_only=True):
    """One request."""

    run: RunId
    attempt: Attempt
    batch: SeriesBatch
    origin: Origin


class ReportMetrics:
    """Places batches of scalar points."""

    def __init__(self, log: EventLog, numbers: SeriesNumbers) -> None:
        self._log = log
        self._numbers = numbers

    def known(self, report: MetricsReport) -> list[Placement] | None:
        """The placement of a batch whose series are all remembered; None where one is not. Reads nothing."""
        numbers = self._numbers.known(report.run, "scalar", keys_of(report.batch))
        return None if numbers is None else [_placed(report, numbers)]

    def with_new_series(self, report: MetricsReport) -> list[Placement]:
        """The placements of the new series and of the batch, to be appended as one request. Reads the log.

        Raises `SeriesLimitReached`.
        """
        numbers, opened = numbered(self._log, self._numbers, report.run, "scalar", keys_of(report.batch))
        return [*opened, _placed(report, numbers)]

    def learned(self, placements: Sequence[Placement]) -> None:
        """Remembers the series opened by committed placements."""
        self._numbers.learned(placements)


def keys_of(batch: SeriesBatch) -> list[str]:
    """The keys that need a number: those of the series, then one for each invalid measurement."""
    return batch.keys + [point.key for point in batch.invalid] if batch.invalid else batch.keys


def columns_of(batch: SeriesBatch, numbers: Sequence[int]) -> Columns:
    """The finite points, packed."""
    series = np.array(numbers[: len(batch.keys)], np.int64)
    counts = batch.counts
    if not counts.all():
        series, counts = series[counts > 0], counts[counts > 0]
    return pack(Batch(numbers=series, counts=counts, steps=batch.steps, times=batch.times, values=batch.values))


def placed(event: MetricsReported | HardwareSampled, origin: Origin) -> Placement:
    """The event at the place its origin gives it."""
    if origin.session is not None:
        return report_numbered(event, origin.session, origin.sequence)
    return report_unnumbered(event, origin.body_digest)


def _placed(report: MetricsReport, numbers: Sequence[int]) -> Placement:
    batch = report.batch
    invalid = zip(numbers[len(batch.keys) :], batch.invalid, strict=True)
    event = MetricsReported(
        run=report.run,
        attempt=report.attempt,
        points=len(batch.steps),
        columns=columns_of(batch, numbers),
        invalid=tuple(InvalidPoint(number, point.step, point.kind, point.time) for number, point in invalid),
    )
    return placed(event, report.origin)
