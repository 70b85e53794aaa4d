"""How a run was configured, where it ran, what it made: hyperparameters, environment, artifacts, benchmarks."""

from __future__ import annotations

import msgspec
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath, SkipValidation
from litestar.response import Stream

from application.ports.object_store import ObjectStore
from application.queries.artifact import ListedArtifact, artifact_body, listed_artifacts
from application.queries.benchmark import BenchmarkScore, ScoreVersion, benchmarks, score_versions
from application.queries.environment import Environment, environment
from application.queries.hyperparameters import Hyperparameters, hyperparameters
from application.queries.page import Page
from domain.ids import RunId
from entrypoints.http.api.moment import Cursor, Limit, Moment, OfAttempt
from entrypoints.http.api.text_stream import body_stream


class ScoreVersions(msgspec.Struct, frozen=True):
    items: list[ScoreVersion]


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
    bodies: NamedDependency[SkipValidation[ObjectStore]],
    attempt: OfAttempt = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Response[Page[ListedArtifact]]:
    """Registered artifacts with the producer's evidence of completion, and what of them is kept here."""
    with moment.views(run) as views:
        found = listed_artifacts(views, bodies, RunId(run), attempt=attempt, limit=limit, cursor=cursor)
        return moment.answer(views, found)


@get("/api/runs/{run:str}/artifacts/{artifact_id:str}/bytes", sync_to_thread=True)
def read_artifact_bytes(
    run: FromPath[str],
    artifact_id: FromPath[str],
    moment: NamedDependency[Moment],
    bodies: NamedDependency[SkipValidation[ObjectStore]],
) -> Stream:
    """The bytes of an artifact that was uploaded to this server, as they came in, streamed."""
    with moment.views(run) as views:
        body = artifact_body(views, bodies, RunId(run), artifact_id)
    return body_stream(body.pieces, body.size_bytes, body.name)


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


@get("/api/runs/{run:str}/benchmarks/{score_id:str}/versions", sync_to_thread=True)
def list_score_versions(
    run: FromPath[str], score_id: FromPath[str], moment: NamedDependency[Moment]
) -> Response[ScoreVersions]:
    """The values that were reported of one score, the latest first, at most 100."""
    with moment.views(run) as views:
        return moment.answer(views, ScoreVersions(score_versions(views, RunId(run), score_id)))
