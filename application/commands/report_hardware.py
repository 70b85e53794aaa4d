"""Reporting hardware samples: series named `host/metric`, whose steps are microseconds since the epoch."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from application.commands.report_metrics import Origin, SeriesBatch, columns_of, placed
from application.ports.event_log import EventLog
from application.series.numbers import SeriesNumbers, numbered
from domain.events import HardwareSampled
from domain.events.series import GpuDevices
from domain.ids import Attempt, RunId
from domain.placement import Placement


class HardwareReport(msgspec.Struct, frozen=True, kw_only=True):
    """One request. The batch has no invalid measurements."""

    run: RunId
    attempt: Attempt
    batch: SeriesBatch
    devices: tuple[GpuDevices, ...] = ()
    origin: Origin


class ReportHardware:
    """Places batches of hardware samples; used as `ReportMetrics` is."""

    def __init__(self, log: EventLog, numbers: SeriesNumbers) -> None:
        self._log = log
        self._numbers = numbers

    def known(self, report: HardwareReport) -> list[Placement] | None:
        """The placement of a batch whose series are all remembered; None where one is not. Reads nothing."""
        numbers = self._numbers.known(report.run, "hardware", report.batch.keys)
        return None if numbers is None else [_placed(report, numbers)]

    def with_new_series(self, report: HardwareReport) -> list[Placement]:
        """The placements of the new series and of the batch, to be appended as one request. Reads the log.

        Raises `SeriesLimitReached`.
        """
        numbers, opened = numbered(self._log, self._numbers, report.run, "hardware", report.batch.keys)
        return [*opened, _placed(report, numbers)]

    def learned(self, placements: Sequence[Placement]) -> None:
        """Remembers the series opened by committed placements."""
        self._numbers.learned(placements)


def _placed(report: HardwareReport, numbers: Sequence[int]) -> Placement:
    event = HardwareSampled(
        run=report.run,
        attempt=report.attempt,
        points=len(report.batch.steps),
        columns=columns_of(report.batch, numbers),
        devices=report.devices,
    )
    return placed(event, report.origin)
