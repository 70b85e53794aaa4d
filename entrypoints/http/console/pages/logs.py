"""`/runs/{run}/logs`: what the job printed, followed as it prints."""

from __future__ import annotations

from typing import Annotated

import msgspec
from litestar import Response, get
from litestar.params import QueryParameter
from tuneplane.contract import INT64_MAX

from application.queries.log import LogLine, before_line, lines
from domain.errors import Refused
from domain.ids import Attempt, RunId
from entrypoints.http.console.console import AsSignedIn, Using, user_of
from entrypoints.http.console.contexts.logs import LogsPage
from entrypoints.http.console.look import Looking
from entrypoints.http.console.pages.job_head import job_head, live_address
from entrypoints.http.console.rendering import rendered

_SHOWN = 500
_EARLIER = 1_000


class EarlierLines(msgspec.Struct, frozen=True):
    """Lines before one that a page has."""

    lines: list[LogLine]


@get("/runs/{run_id:str}/logs", include_in_schema=False, sync_to_thread=True)
def logs(request: AsSignedIn, look: Looking, console: Using) -> Response[bytes]:
    """The last lines; more come by the live stream where the log can still grow."""
    with console.views(look) as views:
        head = job_head(views, console, request.user, look, "logs")
        found = lines(views, RunId(look.run_id), attempt=look.attempt, tail=_SHOWN)
        grows = found.attempt == head.run.attempt
        page = LogsPage(
            title=f"{head.run.name} · logs",
            user=user_of(request),
            head=head,
            live=live_address(
                views,
                head,
                ("logs", "lifecycle", "validation"),
                attempt=found.attempt,
                log=found.cursor if found.attempt is not None else "",
            )
            if grows
            else "",
            lines=found.lines,
            log_attempt=found.attempt,
            eof=found.eof,
            earlier=look.at(attempt=found.attempt).page("logs/earlier"),
            download=look.at(attempt=found.attempt).api("logs.txt"),
        )
    return rendered(page)


@get("/runs/{run_id:str}/logs/earlier", include_in_schema=False, sync_to_thread=True)
def earlier(
    look: Looking, console: Using, before: Annotated[int, QueryParameter(ge=0, le=INT64_MAX)]
) -> Response[bytes]:
    """Up to 1,000 lines of one attempt before line `before`, as JSON."""
    if look.attempt is None:
        raise Refused.at("attempt", "must be given")
    run, attempt = RunId(look.run_id), Attempt(look.attempt)
    first = max(0, before - _EARLIER)
    found: list[LogLine] = []
    with console.views(look) as views:
        cursor: str | None = before_line(run, attempt, first)
        while cursor and len(found) < before - first:
            page = lines(views, run, attempt=attempt, cursor=cursor, limit=before - first - len(found))
            found += page.lines
            cursor = page.next_cursor if page.lines else None
    body = msgspec.json.encode(EarlierLines([line for line in found if line.n < before]))
    return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})


ROUTES = (logs, earlier)
