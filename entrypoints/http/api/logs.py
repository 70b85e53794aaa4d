"""What a job printed: as lines, searched, and as it was printed."""

from __future__ import annotations

from typing import Annotated

import msgspec
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter
from litestar.response import Stream
from tuneplane.contract import INT64_MAX

from application.queries import log as queries
from application.queries.log_place import WholeLine, line_at, whole_line
from application.queries.log_search import QUERY_CHARS, LogMatches, Wanted, search
from domain.ids import RunId
from entrypoints.http.api.moment import Cursor, Limit, Moment, OfAttempt
from entrypoints.http.api.text_stream import text_stream
from entrypoints.http.ingest.timestamps import micros

Tail = Annotated[
    int | None, QueryParameter(name="tail", description="The last lines, 1 to 1,000, followed from there.")
]
Searched = Annotated[
    str, QueryParameter(name="q", max_length=QUERY_CHARS, description="Literal text, looked for in any case.")
]
OnlyErrors = Annotated[
    bool, QueryParameter(name="errors", description="Only lines that look like an error, a guess from their words.")
]
FirstLine = Annotated[
    int, QueryParameter(name="from", ge=0, le=INT64_MAX, description="Number of the first line to look at, from 0.")
]
Number = Annotated[int, QueryParameter(name="n", ge=0, le=INT64_MAX, description="Number of the line, from 0.")]
Time = Annotated[str, QueryParameter(name="time", max_length=64, description="ISO-8601 with an offset or Z.")]


class LineOfTime(msgspec.Struct, frozen=True):
    n: int
    """The first line that began then or later, from 0; the next to come where none did."""


@get("/api/runs/{run:str}/logs", sync_to_thread=True)
def lines(
    run: FromPath[str],
    moment: NamedDependency[Moment],
    attempt: OfAttempt = None,
    limit: Limit = None,
    cursor: Cursor = None,
    tail: Tail = None,
) -> Response[queries.LogPage]:
    """Lines behind `cursor`; asked again with `next_cursor`, what came since."""
    with moment.views(run) as views:
        found = queries.lines(views, RunId(run), attempt=attempt, cursor=cursor, limit=limit, tail=tail)
        return moment.answer(views, found)


@get("/api/runs/{run:str}/logs/search", sync_to_thread=True)
def find(
    run: FromPath[str],
    moment: NamedDependency[Moment],
    q: Searched = "",
    errors: OnlyErrors = False,  # noqa: FBT002 - as it stands in an address
    first: FirstLine = 0,
    attempt: OfAttempt = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Response[LogMatches]:
    """Lines that hold `q`, over the whole log.

    Each answer looks at a bounded part of it and says how far it came; `next_cursor` goes on, match or none.
    """
    with moment.views(run) as views:
        wanted = Wanted(q, errors)
        found = search(views, RunId(run), wanted, first=first, attempt=attempt, cursor=cursor, limit=limit)
        return moment.answer(views, found)


@get("/api/runs/{run:str}/logs/at", sync_to_thread=True)
def at(
    run: FromPath[str], moment: NamedDependency[Moment], time: Time, attempt: OfAttempt = None
) -> Response[LineOfTime]:
    """The line of a time, by the server's clock."""
    with moment.views(run) as views:
        return moment.answer(views, LineOfTime(line_at(views, RunId(run), micros("time", time), attempt=attempt)))


@get("/api/runs/{run:str}/logs/line", sync_to_thread=True)
def line(
    run: FromPath[str], moment: NamedDependency[Moment], n: Number, attempt: OfAttempt = None
) -> Response[WholeLine]:
    """One line with all its text, as shown: `logs` answers the first 16,384 characters of each."""
    with moment.views(run) as views:
        return moment.answer(views, whole_line(views, RunId(run), n, attempt=attempt))


@get("/api/runs/{run:str}/logs.txt", media_type="text/plain", sync_to_thread=True)
def text(run: FromPath[str], moment: NamedDependency[Moment], attempt: OfAttempt = None) -> Stream:
    """Everything as it was printed, streamed."""
    headers = {"Content-Disposition": f'attachment; filename="{run}-logs.txt"'}
    return text_stream(
        moment,
        run,
        "text/plain; charset=utf-8",
        lambda views: queries.text(views, RunId(run), attempt=attempt),
        headers,
    )
