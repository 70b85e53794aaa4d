"""Scalar series: in numbers, as charts, as CSV."""

from __future__ import annotations

from typing import Annotated, Literal

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter
from litestar.response import Stream
from tuneplane.contract import INT64_MAX

from application.ports.series_view import Chart
from application.queries import series as queries
from application.queries.page import Page
from domain.ids import RunId
from entrypoints.http.api.moment import Cursor, Limit, Moment, OfAttempt
from entrypoints.http.api.text_stream import csv_file

Keys = Annotated[list[str], QueryParameter(name="key", description="1 to 32 series.")]
SomeKeys = Annotated[list[str] | None, QueryParameter(name="key", description="Series; all of them if not given.")]
Buckets = Annotated[int, QueryParameter(name="buckets", description="Most rows a series, 1 to 4,000.")]
FirstStep = Annotated[int | None, QueryParameter(name="from", le=INT64_MAX, description="First step, inclusive.")]
LastStep = Annotated[int | None, QueryParameter(name="to", le=INT64_MAX, description="Last step, inclusive.")]
Axis = Annotated[Literal["step", "time"], QueryParameter(name="x", description="What the rows are ordered by.")]


@get("/api/runs/{run:str}/series", sync_to_thread=True)
def list_series(
    run: FromPath[str],
    moment: NamedDependency[Moment],
    q: Annotated[str, QueryParameter(max_length=512)] = "",
    attempt: OfAttempt = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Response[Page[queries.Series]]:
    """Series by key, those that contain `q`."""
    with moment.views(run) as views:
        return moment.answer(views, queries.series(views, RunId(run), q=q, attempt=attempt, limit=limit, cursor=cursor))


@get("/api/runs/{run:str}/series/data", sync_to_thread=True)
def data(
    run: FromPath[str],
    keys: Keys,
    moment: NamedDependency[Moment],
    buckets: Buckets = queries.BUCKETS_USUAL,
    first_step: FirstStep = None,
    last_step: LastStep = None,
    x: Axis = "step",
    attempt: OfAttempt = None,
) -> Response[dict[str, Chart]]:
    """The points where they fit, else buckets of observed points."""
    with moment.views(run) as views:
        found = queries.series_data(
            views, RunId(run), keys, attempt=attempt, buckets=buckets, first_step=first_step, last_step=last_step
        )
        return moment.answer(views, found if x == "step" else {key: by_time(chart) for key, chart in found.items()})


@get("/api/runs/{run:str}/series.csv", media_type="text/csv", sync_to_thread=True)
def csv(
    run: FromPath[str], moment: NamedDependency[Moment], keys: SomeKeys = None, attempt: OfAttempt = None
) -> Stream:
    """Every surviving scalar, `attempt,key,step,value,ts`, streamed."""
    return csv_file(
        moment, run, "series", lambda views: queries.series_csv(views, RunId(run), keys or (), attempt=attempt)
    )


def by_time(chart: Chart) -> Chart:
    """The same rows in order of time: reporters may rewind steps, and clocks may be apart."""
    order = sorted(range(len(chart.time)), key=chart.time.__getitem__)
    return Chart(
        step=[chart.step[at] for at in order],
        time=[chart.time[at] for at in order],
        min=[chart.min[at] for at in order],
        max=[chart.max[at] for at in order],
        mean=[chart.mean[at] for at in order],
        last=[chart.last[at] for at in order],
        count=[chart.count[at] for at in order],
        exact=chart.exact,
    )
