"""Placing batches: numbers without reading, new series first, and a batch that is the same when sent again."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from adapters.memory.event_log import MemoryEventLog
from application.commands.report_collected_scalars import CollectedScalar, ReportCollectedScalars
from application.commands.report_hardware import HardwareReport, ReportHardware
from application.commands.report_metrics import InvalidReport, MetricsReport, Origin, ReportMetrics, SeriesBatch
from application.ports.event_log import Candidate, Fate, Placed
from application.series.columns import unpack
from application.series.numbers import SeriesNumbers
from domain.errors import SeriesLimitReached, StreamMovedOn
from domain.events import HardwareSampled, MetricsReported, SeriesOpened, encode, tag_of
from domain.events.series import InvalidPoint, Provenance
from domain.ids import Attempt, RunId

RUN = RunId("run-1")
SESSION = Origin(session="s", sequence=1)


def a_batch(*keys: str, points: int = 1, invalid=()) -> SeriesBatch:
    count = len(keys) * points
    return SeriesBatch(
        keys=list(keys),
        counts=np.full(len(keys), points),
        steps=np.arange(count),
        times=np.arange(count) * 1000,
        values=np.arange(count) / 2,
        invalid=invalid,
    )


def a_report(*keys: str, origin: Origin = SESSION, run: RunId = RUN, **batch) -> MetricsReport:
    return MetricsReport(run=run, attempt=Attempt(0), batch=a_batch(*keys, **batch), origin=origin)


def append(log: MemoryEventLog, placements) -> tuple[Placed, ...]:
    """Appends the placements as one request."""
    candidates = []
    for one in placements:
        payload = encode(one.event)
        candidates.append(Candidate(one, tag_of(one.event), payload, hashlib.sha256(payload).digest()))
    (answer,) = log.append([candidates])
    if isinstance(answer, Exception):
        raise answer
    return answer


@pytest.fixture
def log() -> MemoryEventLog:
    return MemoryEventLog()


@pytest.fixture
def metrics(log) -> ReportMetrics:
    return ReportMetrics(log, SeriesNumbers())


def test_new_series_are_opened_before_the_batch_and_remembered_once_committed(log, metrics):
    report = a_report("loss", "kl")
    assert metrics.known(report) is None

    placements = metrics.with_new_series(report)
    assert [type(one.event) for one in placements] == [SeriesOpened, SeriesOpened, MetricsReported]
    assert metrics.known(report) is None

    append(log, placements)
    metrics.learned(placements)
    (known,) = metrics.known(report)
    assert known == placements[-1]
    assert unpack(known.event.columns).numbers.tolist() == [1, 2]


def test_a_process_that_remembers_nothing_reads_the_numbers_from_the_log(log, metrics):
    append(log, metrics.with_new_series(a_report("loss", "kl")))

    other = ReportMetrics(log, SeriesNumbers())
    (placed,) = other.with_new_series(a_report("kl", "loss"))
    assert unpack(placed.event.columns).numbers.tolist() == [2, 1]
    assert other.known(a_report("kl")) is not None


def test_two_writers_that_open_series_at_once_decide_again(log, metrics):
    first = metrics.with_new_series(a_report("a"))
    second = metrics.with_new_series(a_report("b", origin=Origin(session="t", sequence=1)))
    append(log, first)
    with pytest.raises(StreamMovedOn):
        append(log, second)

    again = metrics.with_new_series(a_report("b", origin=Origin(session="t", sequence=1)))
    assert [one.event.number for one in again if isinstance(one.event, SeriesOpened)] == [2]
    append(log, again)


def test_a_batch_sent_again_is_a_duplicate(log, metrics):
    append(log, metrics.with_new_series(a_report("loss")))

    assert [one.fate for one in append(log, metrics.with_new_series(a_report("loss")))] == [Fate.DUPLICATE]


def test_a_body_without_a_number_is_the_same_by_its_digest(log, metrics):
    origin = Origin(body_digest=bytes(32))
    append(log, metrics.with_new_series(a_report("loss", origin=origin)))

    (again,) = append(log, metrics.with_new_series(a_report("loss", origin=origin)))
    (other,) = append(log, metrics.with_new_series(a_report("loss", origin=Origin(body_digest=b"\1" * 32))))
    assert (again.fate, other.fate) == (Fate.DUPLICATE, Fate.ACCEPTED)


def test_the_4097th_series_is_refused_by_name(log, metrics):
    for start in range(0, 4096, 2048):
        keys = [f"k{number}" for number in range(start, start + 2048)]
        append(log, metrics.with_new_series(a_report(*keys, origin=Origin(session="s", sequence=start + 1))))

    with pytest.raises(SeriesLimitReached, match="one-more"):
        metrics.with_new_series(a_report("k7", "one-more"))
    assert metrics.known(a_report("k0", "k4095")) is not None


def test_what_is_not_finite_has_a_number_of_its_series_and_no_points(metrics):
    report = a_report("loss", "kl", invalid=[InvalidReport("kl", 4, "nan", 7), InvalidReport("lr", 5, "pos_inf", 8)])
    report.batch.counts[:] = (2, 0)
    event = metrics.with_new_series(report)[-1].event

    assert event.invalid == (InvalidPoint(2, 4, "nan", 7), InvalidPoint(3, 5, "pos_inf", 8))
    assert unpack(event.columns).numbers.tolist() == [1]
    assert (event.points, unpack(event.columns).counts.tolist()) == (2, [2])


def test_a_batch_of_nothing_but_invalid_measurements_is_kept(metrics):
    report = a_report(invalid=[InvalidReport("loss", 4, "nan", 7)])
    opened, placed = metrics.with_new_series(report)

    assert (opened.event.key, placed.event.points, len(placed.event.invalid)) == ("loss", 0, 1)
    assert unpack(placed.event.columns).steps.tolist() == []


class CountedLog(MemoryEventLog):
    """Counts the events that were read of streams."""

    def __init__(self):
        super().__init__()
        self.read_of_streams = 0

    def stream(self, stream, after_version=0):
        found = super().stream(stream, after_version)
        self.read_of_streams += len(found)
        return found


def test_new_series_cost_no_second_look_at_those_that_are_known():
    log = CountedLog()
    metrics, other = ReportMetrics(log, SeriesNumbers()), ReportMetrics(log, SeriesNumbers())
    for number in range(10):
        report = a_report(f"k{number}", origin=Origin(session="s", sequence=number + 1))
        placements = metrics.with_new_series(report)
        append(log, placements)
        metrics.learned(placements)
    assert log.read_of_streams == 0
    assert len(other.with_new_series(a_report("k3", "new"))) == 2
    assert log.read_of_streams == 10


def test_a_run_at_its_limit_refuses_without_reading_its_series_again():
    log = CountedLog()
    metrics = ReportMetrics(log, SeriesNumbers())
    placements = metrics.with_new_series(a_report(*(f"k{number}" for number in range(4096))))
    append(log, placements)
    metrics.learned(placements)
    for _ in range(2):
        with pytest.raises(SeriesLimitReached):
            metrics.with_new_series(a_report("one more"))
    assert log.read_of_streams == 0


def test_what_is_remembered_with_a_gap_is_read_again(log, metrics):
    append(log, metrics.with_new_series(a_report("a", "b", "c")))
    numbers = SeriesNumbers()
    numbers.remember(RUN, "scalar", {"c": 3})
    placements = ReportMetrics(log, numbers).with_new_series(a_report("b", "d", origin=Origin(session="t", sequence=1)))
    assert [one.event.number for one in placements if isinstance(one.event, SeriesOpened)] == [4]
    assert numbers.known(RUN, "scalar", ["a", "b", "c"]) == [1, 2, 3]


def test_hardware_is_numbered_apart(log, metrics):
    append(log, metrics.with_new_series(a_report("loss")))
    hardware = ReportHardware(log, SeriesNumbers())
    report = HardwareReport(run=RUN, attempt=Attempt(0), batch=a_batch("host/cpu.pct"), origin=SESSION)
    assert hardware.known(report) is None

    placements = hardware.with_new_series(report)
    append(log, placements)
    hardware.learned(placements)
    assert (placements[0].event.family, placements[0].event.number) == ("hardware", 1)
    assert isinstance(hardware.known(report)[0].event, HardwareSampled)


def test_a_collected_scalar_is_the_same_by_its_observation(log):
    scalars = ReportCollectedScalars(log, SeriesNumbers())
    provenance = Provenance(source="tb", producer="p", sequence=1, unit="1")
    collected = [
        CollectedScalar(id=f"o{at}", key="loss", step=at, value=0.5, time=at, provenance=provenance) for at in range(3)
    ]
    placements = scalars.with_new_series(RUN, Attempt(0), collected)
    append(log, placements)
    scalars.learned(placements)

    known = scalars.known(RUN, Attempt(0), collected)
    assert known is not None
    assert len(known) == 3
    assert known[1].event.provenance == provenance
    assert {one.fate for one in append(log, known)} == {Fate.DUPLICATE}


def test_only_so_many_runs_are_remembered():
    numbers = SeriesNumbers(runs=2)
    a, b, c = map(RunId, "abc")
    for run in (a, b):
        numbers.remember(run, "scalar", {"loss": 1})
    assert numbers.known(a, "scalar", ["loss"]) == [1]
    numbers.remember(c, "scalar", {"loss": 1})

    assert numbers.known(b, "scalar", ["loss"]) is None
    assert numbers.known(a, "scalar", ["loss"]) == [1]
    assert numbers.known(a, "hardware", ["loss"]) is None
