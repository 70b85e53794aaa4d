"""Hardware over time, like series: keys are `host/metric`."""

from __future__ import annotations

from typing import Annotated

import msgspec
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter, SkipValidation
from tuneplane.contract import INT64_MAX

from application.ports.series_view import Chart
from application.queries import hardware as queries
from application.queries.hardware_hosts import Host, hardware_hosts
from application.queries.page import Page
from application.queries.series import BUCKETS_USUAL
from application.series.shown import Shown
from domain.ids import RunId
from entrypoints.http.api.moment import Cursor, Limit, Moment, OfAttempt
from entrypoints.http.api.series import SHOWN, Buckets, Keys

FirstMoment = Annotated[
    int | None,
    QueryParameter(
        name="from", ge=0, le=INT64_MAX, description="First moment, microseconds since the epoch, inclusive."
    ),
]
LastMoment = Annotated[int | None, QueryParameter(name="to", ge=0, le=INT64_MAX, description="Last moment, inclusive.")]


class Devices(msgspec.Struct, frozen=True):
    items: list[queries.HostDevices]


@get("/api/runs/{run:str}/hardware", sync_to_thread=True)
def list_hardware(
    run: FromPath[str],
    moment: NamedDependency[Moment],
    q: Annotated[str, QueryParameter(max_length=512)] = "",
    attempt: OfAttempt = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Response[Page[queries.HardwareSeries]]:
    """Hardware series by key, those that contain `q`."""
    with moment.views(run) as views:
        found = queries.hardware_series(views, RunId(run), q=q, attempt=attempt, limit=limit, cursor=cursor)
        return moment.answer(views, found)


@get("/api/runs/{run:str}/hardware/data", dependencies=SHOWN, sync_to_thread=True)
def data(
    run: FromPath[str],
    keys: Keys,
    moment: NamedDependency[Moment],
    shown: NamedDependency[SkipValidation[Shown]],
    buckets: Buckets = BUCKETS_USUAL,
    first: FirstMoment = None,
    last: LastMoment = None,
    attempt: OfAttempt = None,
) -> Response[dict[str, Chart]]:
    """As `series/data`; steps are microseconds since the epoch."""
    with moment.views(run) as views:
        found = queries.hardware_data(
            views, RunId(run), keys, attempt=attempt, buckets=buckets, first_step=first, last_step=last, shown=shown
        )
        return moment.answer(views, found)


@get("/api/runs/{run:str}/hardware/devices", sync_to_thread=True)
def devices(run: FromPath[str], moment: NamedDependency[Moment], attempt: OfAttempt = None) -> Response[Devices]:
    """Which cards the GPU numbers of each host mean."""
    with moment.views(run) as views:
        return moment.answer(views, Devices(queries.hardware_devices(views, RunId(run), attempt=attempt)))


@get("/api/runs/{run:str}/hardware/hosts", sync_to_thread=True)
def hosts(
    run: FromPath[str], moment: NamedDependency[Moment], attempt: OfAttempt = None, cursor: Cursor = None
) -> Response[Page[Host]]:
    """Hosts and their cards with the last of everything that they measured."""
    with moment.views(run) as views:
        found = hardware_hosts(views, RunId(run), now=moment.time(views), attempt=attempt, cursor=cursor)
        return moment.answer(views, found)
