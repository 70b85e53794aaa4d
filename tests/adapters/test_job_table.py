"""The table of jobs over PostgreSQL is the one over memory, while jobs go on reporting."""

from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

from adapters.memory.reading import MemoryReading
from adapters.memory.series_view import MemorySeriesView
from adapters.postgres.projector_tracking import prepare
from adapters.postgres.reading import PostgresReading, SeriesSource
from adapters.postgres.series.reader import PostgresSeriesReader
from adapters.postgres.series.tail_cache import TailCache
from adapters.postgres.series.view import PostgresSeriesView
from application.event_log.settlement import as_candidate
from application.projections.registry import PROJECTIONS
from application.queries.job_column import columns, sort
from application.queries.job_table import Asked, JobTable
from application.series.columns import Batch, pack
from domain import hyperparameters, lifecycle, run, series
from domain.events import MetricsReported
from domain.ids import Attempt, Micros, RunId
from domain.placement import Placement
from entrypoints.projector.views import all_views
from tests import factories as a
from tests.adapters.projecting import a_log, projecting

NOW = Micros(a.NOON + 1_000_000_000)
QUESTIONS = [
    Asked(columns=columns(["last:loss", "max:loss", "config:lr", "heard", "status"]), sort=sort("-last:loss")),
    Asked(columns=columns(["transport"]), where=("transport = unknown",)),
    Asked(columns=columns(["min:loss"]), sort=sort("mean:loss"), where=("lr < 3",)),
    Asked(sort=sort("config:lr"), where=("loss != unknown",)),
    Asked(sort=sort("-heard")),
]


def source(family) -> SeriesSource:
    view, tails = PostgresSeriesView(family), TailCache()
    return SeriesSource(
        view=view.name, version=view.version, open=lambda conn, schema: PostgresSeriesReader(conn, schema, tails)
    )


@pytest.fixture
def log(dsn: str) -> Iterator:
    with a_log(dsn) as both:
        yield both


def a_job(name: str, lr: float) -> list[Placement]:
    named = RunId(name)
    return [
        run.create_run(a.a_run(run=named, name=name)),
        run.open_execution(a.an_execution(run=named, token_id=name)),
        hyperparameters.report_hyperparameters(a.hyperparameters(run=named, params={"lr": lr})),
        *series.open_series(named, "scalar", {}, ["loss"]),
    ]


def points(name: str, first: int, *values: float, attempt: int = 0, number: int = 1) -> Placement:
    batch = Batch(
        numbers=np.array([1]),
        counts=np.array([len(values)]),
        steps=np.arange(first, first + len(values)),
        times=np.arange(first, first + len(values)),
        values=np.array(values),
    )
    event = MetricsReported(run=RunId(name), attempt=Attempt(attempt), points=len(values), columns=pack(batch))
    return series.report_numbered(event, f"writer-{attempt}", number)


STORY: list[list[Placement]] = [
    [*a_job("first", 1.0), points("first", 0, 3.0, 2.0, 1.0), *a_job("second", 2.0)],
    [points("second", 0, 0.5, 4.0)],
    [*a_job("third", 3.0), points("first", 3, 9.0, number=2)],
    [run.open_execution(a.an_execution(run=RunId("first"), attempt=1, token_id="again"))],
    [points("first", 1, 0.25, attempt=1), lifecycle.report_lifecycle((), a.a_lifecycle("running", run=RunId("third")))],
    [points("second", 0, 7.0, number=2)],
]


def test_both_answer_alike_after_every_report(log):
    database, events = log
    history = MemoryReading(
        events,
        PROJECTIONS,
        scalars=lambda: MemorySeriesView("scalar"),
        hardware=lambda: MemorySeriesView("hardware"),
    )
    reading = PostgresReading(
        database, events, PROJECTIONS, scalars=source("scalar"), hardware=source("hardware"), as_of=history.at
    )
    kept = JobTable()
    with database.connection() as conn:
        prepare(conn, all_views())
    with closing(reading), projecting(log, all_views()):
        for placements in STORY:
            events.append([[as_candidate(one) for one in placements]])
            head = events.head().position
            with reading.now(head) as views, history.now() as expected:
                assert views.position >= head
                for asked in QUESTIONS:
                    found = kept.numbered(views, asked, now=NOW, page=1, size=9)
                    assert found == JobTable().numbered(expected, asked, now=NOW, page=1, size=9)
                assert kept.known_keys(views, "", 9) == JobTable().known_keys(expected, "", 9)
