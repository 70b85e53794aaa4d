"""How a run was configured, and the packages it ran with, as files."""

from __future__ import annotations

from litestar import get
from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.response import Stream

from application.queries.environment import packages_csv
from application.queries.hyperparameters import hyperparameters_csv
from domain.ids import RunId
from entrypoints.http.api.moment import Moment, OfAttempt
from entrypoints.http.api.text_stream import csv_file


@get("/api/runs/{run:str}/hparams.csv", media_type="text/csv", sync_to_thread=True)
def hyperparameters_file(run: FromPath[str], moment: NamedDependency[Moment], attempt: OfAttempt = None) -> Stream:
    """Every value, `path,kind,value`, nested ones flattened."""
    return csv_file(moment, run, "hparams", lambda views: hyperparameters_csv(views, RunId(run), attempt=attempt))


@get("/api/runs/{run:str}/packages.csv", media_type="text/csv", sync_to_thread=True)
def packages_file(run: FromPath[str], moment: NamedDependency[Moment], attempt: OfAttempt = None) -> Stream:
    """Every package, `name,version`."""
    return csv_file(moment, run, "packages", lambda views: packages_csv(views, RunId(run), attempt=attempt))
