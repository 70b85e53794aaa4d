"""`/runs/{run}/trajectories/{id}/delete`: asks whether a text is to go, and lets it go."""

from __future__ import annotations

import msgspec
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, SkipValidation, URLEncodedBody

from application.commands.delete_trajectory import DeleteTrajectory
from application.queries.trajectory import described, trajectory_of
from domain.ids import RunId
from entrypoints.http.console.console import FORM_BYTES, AsSignedIn, Using, go, moment_of, require_csrf, user_of
from entrypoints.http.console.contexts.trajectories import TrajectoryDeletionPage
from entrypoints.http.console.look import Looking
from entrypoints.http.console.pages.job_head import job_head
from entrypoints.http.console.rendering import rendered

_DELETE = "/runs/{run_id:str}/trajectories/{trajectory_id:str}/delete"


class DeletionForm(msgspec.Struct, frozen=True, kw_only=True):
    """What the button sends."""

    csrf: str = ""


@get(_DELETE, include_in_schema=False, sync_to_thread=True)
def confirm(request: AsSignedIn, look: Looking, console: Using, trajectory_id: FromPath[str]) -> Response[bytes]:
    """Says what goes and what stays. Of the present only: the past is not changed."""
    look = look.at(as_of=None)
    with console.views(look) as views:
        head = job_head(views, console, request.user, look, "trajectories")
        known = trajectory_of(views, RunId(look.run_id), trajectory_id, look.attempt)
        page = TrajectoryDeletionPage(
            title=f"Delete a text · {head.run.name}",
            user=user_of(request),
            head=head,
            live="",
            trajectory=described(known, moment_of(views, look)),
            back=look.page(f"trajectories/{trajectory_id}"),
            action=look.page(f"trajectories/{trajectory_id}/delete"),
        )
    request.user.require_change(head.run.owner)
    return rendered(page)


@post(_DELETE, include_in_schema=False, sync_to_thread=True, request_max_body_size=FORM_BYTES)
def delete(
    request: AsSignedIn,
    look: Looking,
    console: Using,
    trajectory_id: FromPath[str],
    data: URLEncodedBody[DeletionForm],
    delete_trajectory: NamedDependency[SkipValidation[DeleteTrajectory]],
) -> Response[bytes]:
    """Owner or administrator; then back to what is recorded, which says that the text was deleted."""
    require_csrf(request, data.csrf)
    look = look.at(as_of=None)
    with console.views(look) as views:
        head = job_head(views, console, request.user, look, "trajectories")
        known = trajectory_of(views, RunId(look.run_id), trajectory_id, look.attempt)
    request.user.require_change(head.run.owner)
    position = delete_trajectory(known.run, known.attempt, trajectory_id, deleted_by=request.user.account.name)
    with console.reading.now(position):
        return go(look.page(f"trajectories/{trajectory_id}"))


ROUTES = (confirm, delete)
