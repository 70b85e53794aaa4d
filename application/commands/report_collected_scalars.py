"""Reporting scalars that a collector read from a training job's own files, each an observation with an id."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from application.ports.event_log import EventLog
from application.series.columns import Batch, pack
from application.series.numbers import SeriesNumbers, numbered
from domain.events import MetricsReported
from domain.events.series import Provenance
from domain.ids import Attempt, RunId
from domain.placement import Placement
from domain.series import report_collected_scalar


class CollectedScalar(msgspec.Struct, frozen=True, kw_only=True):
    """One observation of kind `scalar`."""

    id: str
    key: str
    step: int
    value: float
    """Finite."""
    time: int
    """Microseconds since the epoch."""
    provenance: Provenance


class ReportCollectedScalars:
    """Places collected scalars: one event each, since each has an identity of its own."""

    def __init__(self, log: EventLog, numbers: SeriesNumbers) -> None:
        self._log = log
        self._numbers = numbers

    def known(self, run: RunId, attempt: Attempt, scalars: Sequence[CollectedScalar]) -> list[Placement] | None:
        """The placements where all series are remembered; None where one is not. Reads nothing."""
        numbers = self._numbers.known(run, "scalar", [scalar.key for scalar in scalars])
        return None if numbers is None else _placed(run, attempt, scalars, numbers)

    def with_new_series(self, run: RunId, attempt: Attempt, scalars: Sequence[CollectedScalar]) -> list[Placement]:
        """The placements of the new series and of the scalars, to be appended as one request. Reads the log.

        Raises `SeriesLimitReached`.
        """
        numbers, opened = numbered(self._log, self._numbers, run, "scalar", [scalar.key for scalar in scalars])
        return [*opened, *_placed(run, attempt, scalars, numbers)]

    def learned(self, placements: Sequence[Placement]) -> None:
        """Remembers the series opened by committed placements."""
        self._numbers.learned(placements)


def _placed(
    run: RunId, attempt: Attempt, scalars: Sequence[CollectedScalar], numbers: Sequence[int]
) -> list[Placement]:
    return [
        report_collected_scalar(_event(run, attempt, scalar, number), scalar.id)
        for scalar, number in zip(scalars, numbers, strict=True)
    ]


def _event(run: RunId, attempt: Attempt, scalar: CollectedScalar, number: int) -> MetricsReported:
    one_point = Batch(
        numbers=np.array([number]),
        counts=np.array([1]),
        steps=np.array([scalar.step]),
        times=np.array([scalar.time]),
        values=np.array([scalar.value], np.float64),
    )
    return MetricsReported(run=run, attempt=attempt, points=1, columns=pack(one_point), provenance=scalar.provenance)
