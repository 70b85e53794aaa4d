"""`/runs/{run}/logs`: what the job printed, followed as it prints, searched, and opened at any line or time."""

from __future__ import annotations

import re
from typing import Annotated

import msgspec
from litestar import Response, get
from litestar.params import FromQuery, QueryParameter
from tuneplane.contract import INT64_MAX

from application.ports.views import Views
from application.queries.asked_attempt import latest_attempt
from application.queries.live import StreamName
from application.queries.log import LogPage
from application.queries.log_place import line_at, line_count
from application.queries.log_search import Wanted
from domain.errors import Refused
from domain.ids import Micros, RunId
from entrypoints.http.console.console import AsSignedIn, Using, go, user_of
from entrypoints.http.console.contexts.job import JobHead
from entrypoints.http.console.contexts.logs import LogsPage, SomeLines
from entrypoints.http.console.look import Look, Looking
from entrypoints.http.console.pages.job_head import job_head, live_address
from entrypoints.http.console.pages.log_found import Errors, Searched, found_in, found_part
from entrypoints.http.console.pages.log_lines import SHOWN_CHARS, last_lines, line_link, lines_from, shown_line
from entrypoints.http.console.rendering import rendered
from entrypoints.http.console.whole_number import whole_number
from entrypoints.http.ingest.timestamps import micros

_SHOWN = 300
_MOST = 1_000
_HAS_OFFSET = re.compile(r"(?:[Zz]|[+-]\d\d:?\d\d)\Z")
_DIGITS = 19
From = Annotated[int, QueryParameter(ge=0, le=INT64_MAX)]


@get("/runs/{run_id:str}/logs", include_in_schema=False, sync_to_thread=True)
def logs(
    request: AsSignedIn,
    look: Looking,
    console: Using,
    line: FromQuery[str] = "",
    at: FromQuery[str] = "",
    q: Searched = "",
    errors: Errors = False,  # noqa: FBT002 - as it stands in an address
) -> Response[bytes]:
    """The last lines, those around a line, or on to the line of a time; and what was found, where that was asked."""
    number = _number(line)
    with console.views(look) as views:
        head = job_head(views, console, request.user, look, "logs")
        log = look.at(attempt=latest_attempt(views, RunId(look.run_id), look.attempt))
        if at and number is None:
            return go(_address(log, line_at(views, RunId(look.run_id), _time(at), attempt=log.attempt)))
        count = line_count(views, RunId(look.run_id), log.attempt)
        shown = _lines(views, log, count, number)
        follows = shown.attempt == head.run.attempt and look.as_of is None
        # Very long lines may leave the last ones to the stream, or to those who ask for later lines.
        end = not shown.lines or shown.lines[-1].n + 1 >= count or (number is None and follows)
        page = LogsPage(
            title=f"{head.run.name} · logs",
            user=user_of(request),
            head=head,
            live=_live(views, head, shown, end=end) if follows else "",
            lines=[shown_line(one) for one in shown.lines],
            log_attempt=log.attempt,
            eof=shown.eof,
            end=end,
            marked=number if number is not None and number < count else None,
            beyond=number is not None and number >= count,
            count=count,
            latest=look.page("logs"),
            line_link=line_link(log),
            some=log.page("logs/lines"),
            whole=log.api("logs/line"),
            search=log.api("logs/search"),
            finding=Look(run_id=look.run_id).page("logs/found"),
            download=log.api("logs.txt"),
            chars=SHOWN_CHARS,
            found=found_in(views, log, Wanted(q, errors)) if q or errors else None,
        )
    return rendered(page)


@get("/runs/{run_id:str}/logs/lines", include_in_schema=False, sync_to_thread=True)
def some_lines(
    look: Looking, console: Using, first: From, count: Annotated[int, QueryParameter(ge=1, le=_MOST)] = _MOST
) -> Response[bytes]:
    """Lines of one attempt from line `first` on, as JSON."""
    if look.attempt is None:
        raise Refused.at("attempt", "must be given")
    with console.views(look) as views:
        found = lines_from(views, look, first, count).lines
        lines = line_count(views, RunId(look.run_id), look.attempt)
    some = SomeLines([shown_line(one) for one in found], end=not found or found[-1].n + 1 >= lines)
    body = msgspec.json.encode(some)
    return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})


def _lines(views: Views, log: Look, count: int, number: int | None) -> LogPage:
    if number is None or number >= count:
        return last_lines(views, log, _SHOWN)
    return lines_from(views, log, max(0, number - _SHOWN // 2), _SHOWN)


def _live(views: Views, head: JobHead, shown: LogPage, *, end: bool) -> str:
    """Lines follow where the page shows the end of the log."""
    log = shown.cursor if shown.attempt is not None else ""
    streams: tuple[StreamName, ...] = ("logs", "lifecycle", "validation") if end else ("lifecycle", "validation")
    return live_address(views, head, streams, attempt=shown.attempt, log=log)


def _number(text: str) -> int | None:
    """From 0; people count from 1, and may write `12,345`."""
    counted = whole_number("line", text.replace(",", ""), "the number of a line, from 1", least=1)
    return None if counted is None else counted - 1


def _time(text: str) -> Micros:
    """A time without an offset is UTC: what the form sends where no script turns the reader's time into it."""
    text = text.strip()
    return micros("at", text if _HAS_OFFSET.search(text) else f"{text}Z")


def _address(log: Look, n: int) -> str:
    return f"{line_link(log)}{n + 1}#L{n + 1}"


ROUTES = (logs, some_lines, found_part)
