"""Events, histograms and health that a run observed, and how far its contract is covered."""

from __future__ import annotations

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery

from application.queries.histogram import HistogramHistory, histogram_history
from application.queries.observation import ObservationItem, observations
from application.queries.observation_contract import ContractCoverage, coverage
from application.queries.page import Page
from application.queries.reporter import Reporters, reporters
from domain.events.observation import ObservationKind
from domain.ids import RunId
from entrypoints.http.api.moment import Cursor, Limit, Moment, OfAttempt


@get("/api/runs/{run:str}/observations", sync_to_thread=True)
def list_observations(
    run: FromPath[str],
    moment: NamedDependency[Moment],
    name: FromQuery[str | None] = None,
    kind: FromQuery[ObservationKind | None] = None,
    attempt: OfAttempt = None,
    limit: Limit = None,
) -> Response[Page[ObservationItem]]:
    """The latest 100 that meet every filter, newest first."""
    with moment.views(run) as views:
        found = observations(views, RunId(run), name=name, kind=kind, attempt=attempt, limit=limit)
        return moment.answer(views, found)


@get("/api/runs/{run:str}/histograms", sync_to_thread=True)
def list_histograms(
    run: FromPath[str],
    moment: NamedDependency[Moment],
    name: FromQuery[str],
    attempt: OfAttempt = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Response[HistogramHistory]:
    """The latest reports of one name, over the steps: each set of bounds apart, nothing added up or estimated."""
    with moment.views(run) as views:
        found = histogram_history(views, RunId(run), name, attempt=attempt, limit=limit, cursor=cursor)
        return moment.answer(views, found)


@get("/api/runs/{run:str}/reporters", sync_to_thread=True)
def list_reporters(
    run: FromPath[str], moment: NamedDependency[Moment], attempt: OfAttempt = None
) -> Response[Reporters]:
    """The processes that report, by the latest each said of itself. Silence is unknown, no proof of anything."""
    with moment.views(run) as views:
        return moment.answer(views, reporters(views, RunId(run), now=moment.time(views), attempt=attempt))


@get("/api/runs/{run:str}/coverage", sync_to_thread=True)
def read_coverage(
    run: FromPath[str], moment: NamedDependency[Moment], attempt: OfAttempt = None
) -> Response[ContractCoverage]:
    """Which requirements have a reported candidate. That is coverage, no proof of correctness."""
    with moment.views(run) as views:
        return moment.answer(views, coverage(views, RunId(run), attempt=attempt))
