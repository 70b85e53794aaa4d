"""`/runs/{run}/history`: every event of a job in order, and the job as it was at any of them."""

from __future__ import annotations

from typing import Annotated

import msgspec
from litestar import Response, get
from litestar.params import FromPath, FromQuery, QueryParameter
from tuneplane.contract import INT64_MAX

from application.ports.views import Views
from application.queries.history import TYPES, Extent, HistoryEvent, HistoryItem, event, events, extent, latest_events
from application.queries.page import Page
from application.queries.round import Round, rounds
from application.queries.run import Run, run
from domain.errors import UnknownRun
from domain.ids import RunId
from entrypoints.http.console.console import AsSignedIn, Console, Using, moment_of, user_of
from entrypoints.http.console.contexts.history import EventPart, HistoryPage, PastPart, Then
from entrypoints.http.console.look import Look, Looking
from entrypoints.http.console.pages.job_head import job_head, live_address
from entrypoints.http.console.rendering import rendered
from entrypoints.http.console.wording import number, size

_A_PAGE = 50
_ROUNDS = 10
_SHOWN_CHARS = 20_000
Before = Annotated[int | None, QueryParameter(ge=0, le=INT64_MAX)]
At = Annotated[int, QueryParameter(ge=0, le=INT64_MAX)]


@get("/runs/{run_id:str}/history", include_in_schema=False, sync_to_thread=True)
def history(
    request: AsSignedIn,
    look: Looking,
    console: Using,
    kind: Annotated[str, QueryParameter(name="type", max_length=64)] = "",
    order: FromQuery[str] = "",
    cursor: FromQuery[str] = "",
    before: Before = None,
) -> Response[bytes]:
    """Events in order of the log, or with `order=latest` from the latest back."""
    ascending = order != "latest"
    with console.views(look) as views:
        head = job_head(views, console, request.user, look, "history")
        found = _found(views, look, kind, ascending=ascending, cursor=cursor, before=before)
        following = {"cursor": found.next_cursor} if ascending else {"order": "latest", "before": found.next_cursor}
        page = HistoryPage(
            title=f"{head.run.name} · history",
            user=user_of(request),
            head=head,
            live=live_address(views, head, ("lifecycle",), attempt=head.run.attempt),
            events=found.items,
            ascending=ascending,
            extent=_extent(console, views, look),
            types=TYPES,
            type=kind,
            first_page=look.page("history", type=kind),
            latest_page=look.page("history", type=kind, order="latest"),
            next_page=look.page("history", type=kind, **following) if found.next_cursor else None,
            past=look.at(as_of=None).page("history/past"),
        )
    return rendered(page)


@get("/runs/{run_id:str}/history/past", include_in_schema=False, sync_to_thread=True)
def past(request: AsSignedIn, look: Looking, console: Using, at: At) -> Response[bytes]:
    """The job as it was when `at` was the last position, beside what it is now."""
    look = look.at(as_of=None)
    run_id = RunId(look.run_id)
    with console.views(look) as views:
        current = run(views, run_id, now=moment_of(views, look))
        before = latest_events(views, run_id, before=at + 1, limit=2).items
        behind = events(views, run_id, after=at, limit=1).items
    then = look.at(as_of=at)
    was, kept = _was(console, then)
    part = PastPart(
        title=current.name,
        user=user_of(request),
        look=then,
        at=at,
        event=before[0] if before else None,
        run=was,
        rounds=kept,
        counts=_counts(was, current) if was else [],
        earlier=before[1].position if len(before) > 1 else None,
        later=behind[0].position if behind else None,
    )
    return rendered(part)


@get("/runs/{run_id:str}/history/{position:int}", include_in_schema=False, sync_to_thread=True)
def whole_event(request: AsSignedIn, look: Looking, console: Using, position: FromPath[int]) -> Response[bytes]:
    """One event whole; of one with validation text only what identifies it, without the content permission."""
    with console.views(look) as views:
        found = event(views, RunId(look.run_id), position)
    withheld = found.holds_text and not request.user.account.may("content")
    body = "" if withheld or found.body is None else _readable(found)
    part = EventPart(
        title=found.type,
        user=user_of(request),
        event=found,
        body=body[:_SHOWN_CHARS],
        left_out=max(0, len(body) - _SHOWN_CHARS),
        withheld=withheld,
        json=look.api(f"events/{position}"),
    )
    return rendered(part)


def _found(
    views: Views, look: Look, kind: str, *, ascending: bool, cursor: str, before: int | None
) -> Page[HistoryItem]:
    types = (kind,) if kind else ()
    if ascending:
        return events(views, RunId(look.run_id), types=types, limit=_A_PAGE, cursor=cursor or None)
    return latest_events(views, RunId(look.run_id), before=before, types=types, limit=_A_PAGE)


def _extent(console: Console, views: Views, look: Look) -> Extent:
    """Of the whole history, whichever moment is looked at."""
    if look.as_of is None:
        return extent(views, RunId(look.run_id))
    with console.views(look.at(as_of=None)) as current:
        return extent(current, RunId(look.run_id))


def _was(console: Console, then: Look) -> tuple[Run | None, list[Round]]:
    try:
        with console.views(then) as views:
            was = run(views, RunId(then.run_id), now=moment_of(views, then))
            return was, rounds(views, RunId(then.run_id), limit=_ROUNDS).items
    except UnknownRun:
        return None, []


def _counts(was: Run, current: Run) -> list[Then]:
    told = [
        ("attempts", number(len(was.attempts)), number(len(current.attempts))),
        ("log", size(was.counts.log_bytes), size(current.counts.log_bytes)),
    ]
    names = ("series", "points", "invalid_points", "observations", "rounds", "trajectories", "artifacts", "set_aside")
    told += [(name, number(getattr(was.counts, name)), number(getattr(current.counts, name))) for name in names]
    return [Then(name=name.replace("_", " "), then=then, now=now) for name, then, now in told]


def _readable(found: HistoryEvent) -> str:
    """JSON as people read it."""
    return msgspec.json.format(msgspec.json.encode(found.body), indent=2).decode()


ROUTES = (history, past, whole_event)
