"""`/runs/{run}/logs`: what the job printed, followed as it prints."""

from __future__ import annotations

from typing import Annotated

import msgspec
from litestar import Response, get
from litestar.params import FromPath, FromQuery, QueryParameter
from tuneplane.contract import INT64_MAX

from application.queries.log import LogLine, before_line, lines
from domain.ids import Attempt, RunId
from entrypoints.http.console.console import AsSignedIn, Using, attempt_of, user_of
from entrypoints.http.console.contexts.logs import LogsPage
from entrypoints.http.console.pages.job_head import job_head, live_address
from entrypoints.http.console.rendering import rendered

_SHOWN = 500
_EARLIER = 1_000


class EarlierLines(msgspec.Struct, frozen=True):
    """Lines before one that a page has."""

    lines: list[LogLine]


@get("/runs/{run_id:str}/logs", include_in_schema=False, sync_to_thread=True)
def logs(request: AsSignedIn, run_id: FromPath[str], console: Using, attempt: FromQuery[str] = "") -> Response[bytes]:
    """The last lines; more come by the live stream where the log can still grow."""
    chosen = attempt_of(attempt)
    with console.views(run_id) as views:
        head = job_head(views, console, request.user, run_id, "logs", chosen)
        found = lines(views, RunId(run_id), attempt=chosen, tail=_SHOWN)
        of = "" if found.attempt is None else f"?attempt={found.attempt}"
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
            attempt=chosen,
            lines=found.lines,
            log_attempt=found.attempt,
            eof=found.eof,
            earlier=f"/runs/{run_id}/logs/earlier",
            download=f"/api/runs/{run_id}/logs.txt{of}",
        )
    return rendered(page)


@get("/runs/{run_id:str}/logs/earlier", include_in_schema=False, sync_to_thread=True)
def earlier(
    run_id: FromPath[str],
    console: Using,
    attempt: Annotated[int, QueryParameter(ge=0, le=INT64_MAX)],
    before: Annotated[int, QueryParameter(ge=0, le=INT64_MAX)],
) -> Response[bytes]:
    """Up to 1,000 lines before line `before`, as JSON."""
    first = max(0, before - _EARLIER)
    found: list[LogLine] = []
    with console.views(run_id) as views:
        cursor: str | None = before_line(RunId(run_id), Attempt(attempt), first)
        while cursor and len(found) < before - first:
            page = lines(views, RunId(run_id), attempt=attempt, cursor=cursor, limit=before - first - len(found))
            found += page.lines
            cursor = page.next_cursor if page.lines else None
    body = msgspec.json.encode(EarlierLines([line for line in found if line.n < before]))
    return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})
