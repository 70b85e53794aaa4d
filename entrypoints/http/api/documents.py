"""How a run was configured, where it ran, what it made: hyperparameters, environment, artifacts, benchmarks."""

from __future__ import annotations

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from application.queries.artifact import Artifact, artifacts
from application.queries.benchmark import BenchmarkScore, benchmarks
from application.queries.environment import Environment, environment
from application.queries.hyperparameters import Hyperparameters, hyperparameters
from application.queries.page import Page
from domain.ids import RunId
from entrypoints.http.api.moment import Cursor, Limit, Moment, OfAttempt


@get("/api/runs/{run:str}/hparams", sync_to_thread=True)
def read_hyperparameters(
    run: FromPath[str], moment: NamedDependency[Moment], attempt: OfAttempt = None
) -> Response[Hyperparameters]:
    """Hyperparameters, later reports merged over earlier ones."""
    with moment.views(run) as views:
        return moment.answer(views, hyperparameters(views, RunId(run), attempt=attempt))


@get("/api/runs/{run:str}/environment", sync_to_thread=True)
def read_environment(
    run: FromPath[str], moment: NamedDependency[Moment], attempt: OfAttempt = None
) -> Response[Environment]:
    """Packages, devices and nodes."""
    with moment.views(run) as views:
        return moment.answer(views, environment(views, RunId(run), attempt=attempt))


@get("/api/runs/{run:str}/artifacts", sync_to_thread=True)
def list_artifacts(
    run: FromPath[str],
    moment: NamedDependency[Moment],
    attempt: OfAttempt = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Response[Page[Artifact]]:
    """Registered artifacts with the producer's evidence of completion."""
    with moment.views(run) as views:
        return moment.answer(views, artifacts(views, RunId(run), attempt=attempt, limit=limit, cursor=cursor))


@get("/api/runs/{run:str}/benchmarks", sync_to_thread=True)
def list_benchmarks(
    run: FromPath[str],
    moment: NamedDependency[Moment],
    attempt: OfAttempt = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Response[Page[BenchmarkScore]]:
    """The latest score of each runner, model, benchmark and metric."""
    with moment.views(run) as views:
        return moment.answer(views, benchmarks(views, RunId(run), attempt=attempt, limit=limit, cursor=cursor))
