"""Reports as the events of a log, and histories of them for hypothesis."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from application.ports.event_log import RecordedEvent
from application.series.columns import Batch, pack
from domain.events import Event, HardwareSampled, MetricsReported, SeriesOpened, encode, tag_of
from domain.events.series import Family, InvalidPoint
from domain.ids import Attempt, Micros, Position, RunId
from tests.series.model import Model, Report

RUN = RunId("run-1")
KEYS = ("loss", "train/reward", "Ünïcode ⚡")


class Log:
    """Events one after the other."""

    def __init__(self, family: Family = "scalar") -> None:
        self.events: list[tuple[RecordedEvent, Event]] = []
        self.models: dict[RunId, Model] = {}
        self.family = family
        self._numbers: dict[RunId, dict[str, int]] = {}

    def report(self, report: Report, run: RunId = RUN) -> list[tuple[RecordedEvent, Event]]:
        """Adds the events of one report, and returns them."""
        before = len(self.events)
        numbers = self._numbers.setdefault(run, {})
        for key in report.keys:
            if key not in numbers:
                numbers[key] = len(numbers) + 1
                self._add(SeriesOpened(run=run, family=self.family, number=numbers[key], key=key))
        self._add(self._event(report, run, numbers))
        self.models.setdefault(run, Model()).reports.append(report)
        return self.events[before:]

    def _event(self, report: Report, run: RunId, numbers: dict[str, int]) -> Event:
        segments = [(numbers[key], points) for key, points in report.segments if points]
        points = [point for _, each in segments for point in each]
        columns = pack(
            Batch(
                numbers=np.array([number for number, _ in segments], np.int64),
                counts=np.array([len(each) for _, each in segments], np.int64),
                steps=np.array([step for step, _, _ in points], np.int64),
                times=np.array([time for _, _, time in points], np.int64),
                values=np.array([value for _, value, _ in points], np.float64),
            )
        )
        attempt = Attempt(report.attempt)
        if self.family == "hardware":
            return HardwareSampled(run=run, attempt=attempt, points=len(points), columns=columns)
        invalid = tuple(InvalidPoint(numbers[key], step, kind, 7) for key, step, kind in report.invalid)
        return MetricsReported(run=run, attempt=attempt, points=len(points), columns=columns, invalid=invalid)

    def _add(self, event: Event) -> None:
        payload = encode(event)
        recorded = RecordedEvent(
            position=Position(len(self.events) + 1),
            recorded_at=Micros(0),
            stream=uuid.uuid4(),
            version=1,
            tag=tag_of(event),
            run=event.run,
            digest=b"",
            hash=b"",
            payload=payload,
        )
        self.events.append((recorded, event))


def a_ramp(first: int, count: int, *, stride: int = 1, seed: int = 0) -> list[tuple[int, float, int]]:
    """`count` points from step `first` on."""
    values = np.random.default_rng(seed).standard_normal(count).tolist()
    return [(first + at * stride, value, 1_000_000 * at + seed) for at, value in enumerate(values)]


def a_report(*segments: tuple[str, Sequence[tuple[int, float, int]]], attempt: int = 0, **more: Any) -> Report:
    return Report(attempt, segments, **more)


_EXTREME = st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 1.7e308, -1.7e308, 1.7976931348623157e308, 1e-310, 0.1])
_VALUES = st.one_of(_EXTREME, st.floats(allow_nan=False, allow_infinity=False))
_STEPS = st.one_of(st.integers(0, 12), st.integers(0, 200), st.integers(2**63 - 6, 2**63 - 1))
_TIMES = st.one_of(st.integers(0, 1000), st.integers(-(2**62), 2**62))
_POINTS = st.lists(st.tuples(_STEPS, _VALUES, _TIMES), max_size=12)
_INVALID = st.lists(
    st.tuples(st.sampled_from(KEYS), _STEPS, st.sampled_from(["nan", "pos_inf", "neg_inf"])), max_size=2
)
small_reports = st.builds(
    Report,
    attempt=st.integers(0, 2),
    segments=st.lists(st.tuples(st.sampled_from(KEYS), _POINTS), max_size=4),
    invalid=_INVALID,
)
"""Few points, with everything that is odd about points."""

_ramps = st.builds(
    a_ramp,
    first=st.integers(0, 12_000),
    count=st.integers(1, 2048),
    stride=st.sampled_from([1, 1, 1, 2, 7]),
    seed=st.integers(0, 99),
)
big_reports = st.builds(
    Report,
    attempt=st.sampled_from([0, 0, 0, 1]),
    segments=st.lists(st.tuples(st.sampled_from(KEYS[:2]), _ramps), min_size=1, max_size=2),
)
"""Enough points for full chunks after a few of them."""
