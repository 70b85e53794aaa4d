"""Evaluation rounds, their trials, and the samples kept of them."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Request, Response, get
from litestar.di import NamedDependency, Provide
from litestar.params import FromPath, FromQuery, QueryParameter
from tuneplane.contract import INT64_MAX

from application.queries.page import Page
from application.queries.round import Round, rounds
from application.queries.sample import SamplePage, samples
from application.queries.trial import Trial, TrialAttempt, TrialFilter, trial_attempts, trials
from domain.events.outcome import OutcomeStatus
from domain.ids import RoundId, RunId, TrialId
from entrypoints.http.api.moment import Cursor, Limit, Moment, OfAttempt
from entrypoints.http.paths import name_of
from entrypoints.http.signed_in import SignedIn

Search = Annotated[str, QueryParameter(name="q", description="Text in the trial's id, any case.")]
Retried = Annotated[bool, QueryParameter(name="retried", description="Only outcomes of a retry.")]
Lost = Annotated[bool, QueryParameter(name="set_aside", description="Only trials of which a report was set aside.")]
FirstSample = Annotated[
    int | None, QueryParameter(name="from", ge=0, le=INT64_MAX, description="Samples from this `idx` on.")
]


def provide_filter(
    status: FromQuery[OutcomeStatus | None] = None,
    search: Search = "",
    retried: Retried = False,  # noqa: FBT002 - a parameter of an address
    set_aside: Lost = False,  # noqa: FBT002 - as above
) -> TrialFilter:
    """The dependency `wanted`: its parameters become the question's."""
    return TrialFilter(status=status, search=search, retried=retried, set_aside=set_aside)


@get("/api/runs/{run:str}/validation/rounds", sync_to_thread=True)
def list_rounds(
    run: FromPath[str],
    moment: NamedDependency[Moment],
    attempt: OfAttempt = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Response[Page[Round]]:
    """Rounds with their counts and the rates these allow."""
    with moment.views(run) as views:
        return moment.answer(views, rounds(views, RunId(run), attempt=attempt, limit=limit, cursor=cursor))


@get(
    "/api/runs/{run:str}/validation/rounds/{round_id:str}/trials",
    dependencies={"wanted": Provide(provide_filter, sync_to_thread=False)},
    sync_to_thread=True,
)
def list_trials(
    run: FromPath[str],
    round_id: FromPath[str],
    moment: NamedDependency[Moment],
    wanted: NamedDependency[TrialFilter],
    attempt: OfAttempt = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Response[Page[Trial]]:
    """Trials by id, each with its current outcome."""
    with moment.views(run) as views:
        name = RoundId(name_of(round_id))
        return moment.answer(
            views, trials(views, RunId(run), name, wanted, attempt=attempt, limit=limit, cursor=cursor)
        )


@get("/api/runs/{run:str}/validation/rounds/{round_id:str}/trials/{trial_id:str}/attempts", sync_to_thread=True)
def list_trial_attempts(
    run: FromPath[str],
    round_id: FromPath[str],
    trial_id: FromPath[str],
    moment: NamedDependency[Moment],
    attempt: OfAttempt = None,
) -> Response[Page[TrialAttempt]]:
    """The retry history of a trial, up to 100 attempts, with the reports that were set aside."""
    with moment.views(run) as views:
        found = trial_attempts(
            views, RunId(run), RoundId(name_of(round_id)), TrialId(name_of(trial_id)), attempt=attempt
        )
        return moment.answer(views, found)


@get("/api/runs/{run:str}/validation/rounds/{round_id:str}/samples", sync_to_thread=True)
def list_samples(
    request: Request[SignedIn, Any, Any],
    run: FromPath[str],
    round_id: FromPath[str],
    moment: NamedDependency[Moment],
    first: FirstSample = None,
    attempt: OfAttempt = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Response[SamplePage]:
    """Retained validation samples, and what was said of all of them; needs the content permission."""
    request.user.require("content")
    with moment.views(run) as views:
        name = RoundId(name_of(round_id))
        found = samples(views, RunId(run), name, first=first, attempt=attempt, limit=limit, cursor=cursor)
        return moment.answer(views, found)
