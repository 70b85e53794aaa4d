"""The events of a run, and the whole log with its chain."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Annotated, Any

import msgspec
from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter, SkipValidation
from litestar.response import Stream
from tuneplane.contract import INT64_MAX

from application.ports.event_log import EventLog
from application.queries import history as queries
from application.queries.page import Page
from domain.ids import RunId
from entrypoints.http.api.moment import Cursor, Limit, Moment
from entrypoints.http.api.text_stream import Download
from entrypoints.http.signed_in import SignedIn

Types = Annotated[
    list[str] | None,
    QueryParameter(name="type", description="Stored names, with or without version; all if not given."),
]
_encoder = msgspec.json.Encoder()


@get("/api/runs/{run:str}/events", sync_to_thread=True)
def list_events(
    run: FromPath[str],
    moment: NamedDependency[Moment],
    after: Annotated[int, QueryParameter(ge=0, le=INT64_MAX)] = 0,
    until: Annotated[int | None, QueryParameter(ge=0, le=INT64_MAX)] = None,
    types: Types = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Response[Page[queries.HistoryItem]]:
    """Events behind `after` up to and including `until`, in order."""
    with moment.views(run) as views:
        found = queries.events(
            views, RunId(run), after=after, until=until, types=types or (), limit=limit, cursor=cursor
        )
        return moment.answer(views, found)


@get("/api/runs/{run:str}/events/{position:int}", sync_to_thread=True)
def read(
    request: Request[SignedIn, Any, Any], run: FromPath[str], position: FromPath[int], moment: NamedDependency[Moment]
) -> Response[queries.HistoryEvent]:
    """One event whole; validation text in it needs the content permission."""
    with moment.views(run) as views:
        found = queries.event(views, RunId(run), position)
        if found.holds_text:
            request.user.require("content")
        return moment.answer(views, found)


@get("/api/events.ndjson", media_type="application/x-ndjson", sync_to_thread=True)
def whole_log(request: Request[SignedIn, Any, Any], log: NamedDependency[SkipValidation[EventLog]]) -> Stream:
    """Every event, one a line, with all it takes to verify the chain; needs the audit and content permissions."""
    request.user.require("audit")
    request.user.require("content")
    return Stream(Download(ExitStack(), _lines(log)), media_type="application/x-ndjson")


def _lines(log: EventLog) -> Iterator[bytes]:
    for event in queries.whole_log(log):
        yield _encoder.encode(event) + b"\n"
