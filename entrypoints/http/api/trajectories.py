"""Trajectories: the index, one with its messages, and the deletion of its text."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Request, Response, delete, get
from litestar.di import NamedDependency, Provide
from litestar.params import FromPath, FromQuery, QueryParameter, SkipValidation
from tuneplane.contract import INT64_MAX

from application.clock import now
from application.commands.delete_trajectory import DeleteTrajectory
from application.ports.event_log import EventLog
from application.ports.object_store import ObjectStore
from application.queries import trajectory as queries
from application.queries import trajectory_index as index
from application.queries.page import Page
from application.queries.run_owner import owner_of
from application.queries.trajectory_text import read_text
from domain.ids import RunId
from entrypoints.http.api.moment import Cursor, Limit, Moment, OfAttempt
from entrypoints.http.api.runs import Done
from entrypoints.http.signed_in import SignedIn


def provide_filter(
    # `scope` and `state` are Litestar's own.
    of_scope: Annotated[str | None, QueryParameter(name="scope")] = None,
    round_id: FromQuery[str | None] = None,
    diagnostic: FromQuery[str | None] = None,
    step: Annotated[int | None, QueryParameter(ge=0, le=INT64_MAX)] = None,
    trial_id: FromQuery[str | None] = None,
    in_state: Annotated[index.IndexState | None, QueryParameter(name="state")] = None,
) -> index.TrajectoryFilter:
    """The dependency `wanted`: its parameters become the question's."""
    return index.TrajectoryFilter(
        scope=of_scope, round_id=round_id, diagnostic=diagnostic, step=step, trial_id=trial_id, state=in_state
    )


@get(
    "/api/runs/{run:str}/trajectories",
    dependencies={"wanted": Provide(provide_filter, sync_to_thread=False)},
    sync_to_thread=True,
)
def list_trajectories(
    run: FromPath[str],
    moment: NamedDependency[Moment],
    wanted: NamedDependency[index.TrajectoryFilter],
    attempt: OfAttempt = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Response[Page[queries.Trajectory]]:
    """The index, filtered before paging; samples are biased and give no rate."""
    with moment.views(run) as views:
        found = index.trajectories(
            views, RunId(run), wanted, now=moment.time(views), attempt=attempt, limit=limit, cursor=cursor
        )
        return moment.answer(views, found)


@get("/api/runs/{run:str}/trajectories/{trajectory_id:str}", sync_to_thread=True)
def read(
    request: Request[SignedIn, Any, Any],
    run: FromPath[str],
    trajectory_id: FromPath[str],
    moment: NamedDependency[Moment],
    bodies: NamedDependency[SkipValidation[ObjectStore]],
    page: FromQuery[int] = 1,
    attempt: OfAttempt = None,
) -> Response[queries.TrajectoryPage]:
    """One trajectory with 20 of its messages; needs the content permission.

    A text that is gone is gone in the past, too. The store is asked when the views are closed: a slow one holds up
    nobody else.
    """
    request.user.require("content")
    with moment.views(run) as views:
        asked = queries.trajectory_of(views, RunId(run), trajectory_id, attempt)
    with moment.all_views() as current:
        known = queries.as_it_is(current, asked)
    time = now()
    kept = queries.described(known, time).state == "retained"
    text = read_text(bodies, known.stored.object_key) if kept else None
    return moment.answer(views, queries.trajectory(known, text, now=time, page=page))


@delete("/api/runs/{run:str}/trajectories/{trajectory_id:str}", status_code=200, sync_to_thread=True)
def remove(
    request: Request[SignedIn, Any, Any],
    run: FromPath[str],
    trajectory_id: FromPath[str],
    moment: NamedDependency[Moment],
    delete_trajectory: NamedDependency[DeleteTrajectory],
    log: NamedDependency[SkipValidation[EventLog]],
    attempt: OfAttempt = None,
) -> Done:
    """Removes the text; the index entry and all counts stay."""
    request.user.require_change(owner_of(log, run))
    with moment.views(run) as views:
        known = queries.trajectory_of(views, RunId(run), trajectory_id, attempt)
    by = request.user.account.name
    return Done(delete_trajectory(RunId(run), known.attempt, trajectory_id, deleted_by=by))
