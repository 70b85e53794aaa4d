"""`/runs/{run}/trajectories/{id}`: one trajectory to read, page by page."""

from __future__ import annotations

from typing import Annotated

from litestar import Response, get
from litestar.params import FromPath, FromQuery, QueryParameter

from application.queries.trajectory_index import ANY, TrajectoryFilter, neighbours
from domain.errors import TryAgain
from entrypoints.http.console.console import AsSignedIn, Using, user_of
from entrypoints.http.console.contexts.trajectories import TrajectoryPage, TrajectoryTextPart
from entrypoints.http.console.look import Look, Looking
from entrypoints.http.console.pages.job_head import job_head, live_address
from entrypoints.http.console.pages.trajectory_filter import WANTED, Wanted, query_of
from entrypoints.http.console.pages.trajectory_reading import Asked, page_number, reader_of, reader_without_text
from entrypoints.http.console.pages.trajectory_subject import state_now, subject_of
from entrypoints.http.console.rendering import rendered
from entrypoints.http.console.texts import UsingTexts

Search = Annotated[str, QueryParameter(max_length=256)]
_READER = "/runs/{run_id:str}/trajectories/{trajectory_id:str}"


@get(_READER, dependencies=WANTED, include_in_schema=False, sync_to_thread=True)
def reader(
    request: AsSignedIn,
    look: Looking,
    console: Using,
    texts: UsingTexts,
    wanted: Wanted,
    trajectory_id: FromPath[str],
    page: FromQuery[str] = "",
    q: Search = "",
) -> Response[bytes]:
    """What is recorded is shown whatever becomes of the text; the views are closed when the store is asked."""
    asked = _asked(request, look, trajectory_id, wanted, page, q)
    with console.views(look) as views:
        head = job_head(views, console, request.user, look, "trajectories")
        subject = subject_of(views, look, trajectory_id)
        beside = neighbours(views, subject.known, wanted, now=subject.moment, attempt=look.attempt)
        live = live_address(views, head, ("lifecycle",), attempt=head.run.attempt)
    state = state_now(console, subject)
    try:
        shown = reader_of(subject, texts, state, asked)
    except TryAgain as fault:
        again = look.page(f"trajectories/{trajectory_id}/text", **query_of(wanted), page=asked.page, q=q)
        shown = reader_without_text(subject, asked, fault.detail, again=again)

    def address(one: str | None) -> str | None:
        return None if one is None else look.page(f"trajectories/{one}", **query_of(wanted))

    may_delete = head.may_change and look.as_of is None and state != "deleted"
    keeps = {"attempt": look.attempt, "as_of": look.as_of, **query_of(wanted)}
    return rendered(
        TrajectoryPage(
            title=f"{subject.known.trial_id} · {head.run.name}",
            user=user_of(request),
            head=head,
            live=live,
            reader=shown,
            index=look.page("trajectories", **query_of(wanted)),
            newer=address(beside.newer),
            older=address(beside.older),
            filtered=wanted != ANY,
            kept=[(name, str(value)) for name, value in keeps.items() if value is not None],
            search=Look(run_id=look.run_id).page(f"trajectories/{trajectory_id}"),
            delete=look.page(f"trajectories/{trajectory_id}/delete") if may_delete else "",
            original=look.api(f"trajectories/{trajectory_id}", page=asked.page),
        )
    )


@get(f"{_READER}/text", dependencies=WANTED, include_in_schema=False, sync_to_thread=True)
def text_part(
    request: AsSignedIn,
    look: Looking,
    console: Using,
    texts: UsingTexts,
    wanted: Wanted,
    trajectory_id: FromPath[str],
    page: FromQuery[str] = "",
    q: Search = "",
) -> Response[bytes]:
    """The text alone, to try again. Raises `TryAgain` (503) where it cannot be read now."""
    asked = _asked(request, look, trajectory_id, wanted, page, q)
    with console.views(look) as views:
        subject = subject_of(views, look, trajectory_id)
    shown = reader_of(subject, texts, state_now(console, subject), asked)
    return rendered(TrajectoryTextPart(title=subject.known.trial_id, user=user_of(request), reader=shown))


def _asked(request: AsSignedIn, look: Look, trajectory_id: str, wanted: TrajectoryFilter, page: str, q: str) -> Asked:
    def at(number: int, searched: str) -> str:
        return look.page(f"trajectories/{trajectory_id}", **query_of(wanted), page=number, q=searched)

    may_read = request.user.account.may("content")
    return Asked(page=page_number(page), q=q, may_read=may_read, at=at)


ROUTES = (reader, text_part)
