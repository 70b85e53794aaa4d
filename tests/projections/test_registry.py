"""What holds for every projection: it is a pure fold over the events it names, into tables of its own."""

from collections.abc import Sequence
from typing import Any

import pytest

from adapters.memory.records import MemoryRecords
from application.ports.event_log import RecordedEvent
from application.ports.records import RecordTable
from application.ports.views import START
from application.projections.projection import Projection
from application.projections.registry import PROJECTIONS
from application.record_layout import layout
from domain.events import EVENT_TYPES, MetricsReported, SeriesOpened, decode
from domain.events.series import GpuDevices
from tests import factories as a
from tests.queries.reports import Reports


class Guarded:
    """The records of one projection, which refuse the tables of any other and remember what was written."""

    def __init__(self, projection: Projection) -> None:
        self._records = MemoryRecords()
        self._own = projection.tables
        self.written: list[Any] = []

    def get(self, table, *key):
        self._check(table)
        return self._records.get(table, *key)

    def find(self, table, *where, **asked):
        self._check(table)
        return self._records.find(table, *where, **asked)

    def count(self, table, *where):
        self._check(table)
        return self._records.count(table, *where)

    def count_by(self, table, field, *where):
        self._check(table)
        return self._records.count_by(table, field, *where)

    def distinct(self, table, field, *, contains="", most):
        self._check(table)
        return self._records.distinct(table, field, contains=contains, most=most)

    def put(self, table, record) -> None:
        self._check(table)
        self.written.append(record)
        self._records.put(table, record)

    def everything(self) -> list[list[Any]]:
        return [self._records.find(table) for table in self._own]

    def _check(self, table: RecordTable[Any]) -> None:
        assert table in self._own, table.name


def a_long_story() -> list[RecordedEvent]:
    """Every type of event, some losing, over two attempts."""
    reports = Reports()
    reports.of(a.a_run(), a.an_execution(), a.an_execution(attempt=1, token_id="t2"))
    for attempt in (1, 0):
        job = {"attempt": attempt}
        reports.of(
            a.a_lifecycle("starting", **job),
            a.a_lifecycle("failed", **job),
            a.a_lifecycle("running", **job),
            a.a_series(attempt + 1, f"loss{attempt}"),
            a.a_metrics_batch(**job),
            a.a_hardware_batch(devices=(GpuDevices(host="h"),), **job),
            a.a_log("one\ntw", **job),
            a.a_log("o\n", eof=True, **job),
            a.hyperparameters(**job),
            a.an_environment(**job),
            a.nodes(**job),
            a.an_observation(kind="health", name="transport", **job),
            a.a_trial_reason(**job),
            a.a_contract(**job),
            a.a_population(**job),
            a.a_population(9, **job),
            a.a_protocol(**job),
            a.a_validation_metric(**job),
            a.an_outcome(trial_attempt=1, **job),
            a.an_outcome(**job),
            a.an_outcome(status="failure", **job),
            a.samples(**job),
            a.samples(total_chunks=3, **job),
            a.a_trajectory(**job),
            a.a_trajectory_deletion(**job),
            a.an_artifact(**job),
            a.a_benchmark_score(**job),
        )
    reports.of(a.a_share(), a.a_withdrawal(), a.a_further_token(), a.a_revocation())
    return reports.log.read(START, limit=1000)


STORY = a_long_story()


def told(projection: Projection, events: Sequence[RecordedEvent] = STORY) -> Guarded:
    records = Guarded(projection)
    for recorded in events:
        event = decode(recorded.tag, recorded.payload or b"")
        if isinstance(event, projection.reads):
            projection.project(recorded, event, records)
    return records


def test_the_story_holds_every_type_of_event():
    assert {recorded.tag for recorded in STORY} == {str(kind.__struct_config__.tag) for kind in EVENT_TYPES}


def test_projections_have_names_of_their_own_and_tables_that_can_be_kept():
    assert len({one.name for one in PROJECTIONS}) == len(PROJECTIONS)
    for projection in PROJECTIONS:
        assert len({table.name for table in projection.tables}) == len(projection.tables)
        for table in projection.tables:
            assert layout(table).key[0] == "run"


def test_every_type_of_event_but_the_curves_own_is_read_beside_the_run_itself():
    read = {kind for projection in PROJECTIONS if projection.name != "run" for kind in projection.reads}
    people = {
        type(one)
        for one in (a.a_run(), a.an_execution(), a.a_further_token(), a.a_revocation(), a.a_share(), a.a_withdrawal())
    }

    assert set(EVENT_TYPES) - read == {MetricsReported, SeriesOpened, type(a.a_lifecycle())} | people


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda one: one.name)
def test_a_projection_touches_its_own_tables_alone_and_fills_all_of_them(projection):
    assert all(told(projection).everything())


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda one: one.name)
def test_folding_the_same_events_again_gives_the_same_view(projection):
    assert told(projection).everything() == told(projection).everything()


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda one: one.name)
def test_events_it_does_not_name_leave_no_trace(projection):
    records = Guarded(projection)

    for recorded in STORY:
        event = decode(recorded.tag, recorded.payload or b"")
        if not isinstance(event, projection.reads):
            projection.project(recorded, event, records)

    assert records.written == []


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda one: one.name)
def test_a_view_of_one_run_does_not_depend_on_the_events_of_others(projection):
    foreign = Reports()
    foreign.of(*(a.a_run(run=f"other-{n}") for n in range(3)), a.an_execution(run="other-1"))
    foreign.of(a.an_outcome(run="other-1"), a.a_log(run="other-1"), a.a_trajectory(run="other-1"))
    strangers = foreign.log.read(START, limit=100)
    mixed = [event for pair in zip(STORY, strangers * len(STORY), strict=False) for event in pair]

    alone = told(projection).everything()
    among = [[one for one in table if one.run == a.RUN] for table in told(projection, mixed).everything()]

    assert among == alone
