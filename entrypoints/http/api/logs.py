"""What a job printed: as lines, and as it was printed."""

from __future__ import annotations

from typing import Annotated

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter
from litestar.response import Stream

from application.queries import log as queries
from domain.ids import RunId
from entrypoints.http.api.moment import Cursor, Limit, Moment, OfAttempt
from entrypoints.http.api.text_stream import text_stream

Tail = Annotated[
    int | None, QueryParameter(name="tail", description="The last lines, 1 to 1,000, followed from there.")
]


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
