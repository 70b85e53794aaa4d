"""Scalar series: in numbers, as charts, as CSV."""

from __future__ import annotations

from typing import Annotated

from litestar import Response, get
from litestar.di import NamedDependency, Provide
from litestar.params import FromPath, QueryParameter, SkipValidation
from litestar.response import Stream
from tuneplane.contract import INT64_MAX

from application.ports.series_view import Chart
from application.queries import series as queries
from application.queries.page import Page
from application.queries.superseded import Superseded, superseded_points
from application.series.shown import Axis, Shown, shown_as
from domain.ids import RunId
from entrypoints.http.api.moment import Cursor, Limit, Moment, OfAttempt
from entrypoints.http.api.text_stream import csv_file

Keys = Annotated[list[str], QueryParameter(name="key", description="1 to 32 series.")]
SomeKeys = Annotated[list[str] | None, QueryParameter(name="key", description="Series; all of them if not given.")]
Buckets = Annotated[int, QueryParameter(name="buckets", description="Most rows a series, 1 to 4,000.")]
FirstStep = Annotated[int | None, QueryParameter(name="from", le=INT64_MAX, description="First step, inclusive.")]
LastStep = Annotated[int | None, QueryParameter(name="to", le=INT64_MAX, description="Last step, inclusive.")]
ByAxis = Annotated[Axis, QueryParameter(name="x", description="What the rows are ordered by.")]
Smooth = Annotated[
    float | None,
    QueryParameter(
        name="smooth",
        description="Weight, from 0 to below 1, of an exponential mean over the rows: adds the column `smoothed`.",
    ),
]
ListedKeys = Annotated[
    list[str] | None, QueryParameter(name="key", description="Just these, 1 to 1,000, in this order, as one page.")
]
ListOrder = Annotated[
    queries.Order,
    QueryParameter(
        name="order",
        description="By name; `changed`: the greatest `change` first; `latest`: the latest `last_at` first.",
    ),
]


def shown_of(x: ByAxis = "step", smooth: Smooth = None) -> Shown:
    """From an address: the dependency `shown`. Raises `Refused`."""
    return shown_as(x, smooth)


SHOWN = {"shown": Provide(shown_of, sync_to_thread=False)}
"""For routes of charts."""


@get("/api/runs/{run:str}/series", sync_to_thread=True)
def list_series(
    run: FromPath[str],
    moment: NamedDependency[Moment],
    q: Annotated[str, QueryParameter(max_length=512)] = "",
    keys: ListedKeys = None,
    order: ListOrder = "name",
    attempt: OfAttempt = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Response[Page[queries.Series]]:
    """Series in numbers: those that contain `q`, or those named."""
    with moment.views(run) as views:
        if keys:
            return moment.answer(views, queries.some_series(views, RunId(run), keys, attempt=attempt))
        found = queries.series(views, RunId(run), q=q, attempt=attempt, order=order, limit=limit, cursor=cursor)
        return moment.answer(views, found)


@get("/api/runs/{run:str}/series/data", dependencies=SHOWN, sync_to_thread=True)
def data(
    run: FromPath[str],
    keys: Keys,
    moment: NamedDependency[Moment],
    shown: NamedDependency[SkipValidation[Shown]],
    buckets: Buckets = queries.BUCKETS_USUAL,
    first_step: FirstStep = None,
    last_step: LastStep = None,
    attempt: OfAttempt = None,
) -> Response[dict[str, Chart]]:
    """The points where they fit, else buckets of observed points."""
    with moment.views(run) as views:
        found = queries.series_data(
            views,
            RunId(run),
            keys,
            attempt=attempt,
            buckets=buckets,
            first_step=first_step,
            last_step=last_step,
            shown=shown,
        )
        return moment.answer(views, found)


@get("/api/runs/{run:str}/series/superseded", dependencies=SHOWN, sync_to_thread=True)
def superseded(
    run: FromPath[str],
    keys: Keys,
    moment: NamedDependency[Moment],
    shown: NamedDependency[SkipValidation[Shown]],
    buckets: Buckets = queries.BUCKETS_USUAL,
    first_step: FirstStep = None,
    last_step: LastStep = None,
) -> Response[dict[str, list[Superseded]]]:
    """What later attempts replaced: for each series and earlier attempt, the points that do not survive."""
    with moment.views(run) as views:
        found = superseded_points(
            views, RunId(run), keys, buckets=buckets, first_step=first_step, last_step=last_step, shown=shown
        )
        return moment.answer(views, found)


@get("/api/runs/{run:str}/series.csv", media_type="text/csv", sync_to_thread=True)
def csv(
    run: FromPath[str], moment: NamedDependency[Moment], keys: SomeKeys = None, attempt: OfAttempt = None
) -> Stream:
    """Every surviving scalar, `attempt,key,step,value,ts`, streamed."""
    return csv_file(
        moment, run, "series", lambda views: queries.series_csv(views, RunId(run), keys or (), attempt=attempt)
    )
