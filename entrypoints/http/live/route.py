"""`GET /api/runs/{run}/live`: what comes to a run, as it comes. Source: API "live", RULINGS "Logs"."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from litestar import Request, Response, Router, get
from litestar.di import NamedDependency, Provide
from litestar.params import FromPath, QueryParameter
from litestar.response import Stream

from application.queries.live import STREAMS, StreamName, start
from domain.errors import Refused, TryAgain
from domain.ids import RunId
from domain.run import named_run
from entrypoints.http.errors import TooManyRequests, Undecodable
from entrypoints.http.live.hub import Frames, LiveHub
from entrypoints.http.signed_in import Doorkeeper, SignedIn, SignedInAuthentication
from entrypoints.http.stopping import Stopping

HEARTBEAT_SECONDS = 15.0
MOST_STREAMS = 1_000
_RETRY_SECONDS = 0.5
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

Streams = Annotated[
    str, QueryParameter(name="streams", description=f"Comma-separated, of {', '.join(STREAMS)}; all if not given.")
]
Resume = Annotated[
    str | None, QueryParameter(name="cursor", description="Id of the last event seen; Last-Event-ID goes before it.")
]


class LiveStreams:
    """Opens streams; counts those that are open."""

    def __init__(self, hub: LiveHub, stopping: Stopping) -> None:
        self._hub = hub
        self._stopping = stopping
        self._open = 0

    async def open(self, run: RunId, streams: frozenset[StreamName], cursor: str) -> Response[None] | Stream:
        """204 where the stream has ended and nothing is left of it: a browser stops asking then."""
        if self._open >= MOST_STREAMS:
            raise TooManyRequests(f"{MOST_STREAMS:,} live streams are open already.")
        first = await self._hub.frames(run, streams, cursor)
        if first.ended and not first.text:
            return Response(None, status_code=204, headers=_HEADERS)
        return Stream(self._messages(run, streams, cursor), media_type="text/event-stream", headers=_HEADERS)

    async def _messages(self, run: RunId, streams: frozenset[StreamName], cursor: str) -> AsyncIterator[bytes]:
        self._open += 1
        try:
            yield b"retry: 1000\n\n"
            while not self._stopping.begun:
                seen = self._hub.position
                found = await self._frames(run, streams, cursor)
                if found is None:
                    yield b": the server waits for its database\n\n"
                    continue
                cursor = found.cursor
                if found.text:
                    yield found.text
                if found.ended:
                    yield b"id: %b\nevent: end\ndata: {}\n\n" % cursor.encode()
                    return
                if not found.more and not await self._hub.moved(seen, HEARTBEAT_SECONDS):
                    yield b": still here\n\n"
        finally:
            self._open -= 1

    async def _frames(self, run: RunId, streams: frozenset[StreamName], cursor: str) -> Frames | None:
        """None while the database is away: the reader keeps its place."""
        try:
            return await self._hub.frames(run, streams, cursor)
        except TryAgain:
            await self._hub.moved(self._hub.position, _RETRY_SECONDS)
            return None


@get("/api/runs/{run:str}/live", media_type="text/event-stream")
async def live(
    request: Request[SignedIn, Any, Any],
    run: FromPath[str],
    live_streams: NamedDependency[LiveStreams],
    streams: Streams = "",
    cursor: Resume = None,
) -> Response[None] | Stream:
    """Server-sent events `logs`, `metrics`, `lifecycle`, `validation`, and `end` when the log has ended."""
    named = named_run(run)
    place = request.headers.get("last-event-id", cursor)
    try:
        return await live_streams.open(named, _streams(streams), place or start(named))
    except Refused as refusal:
        raise Undecodable(refusal.detail, *refusal.faults) from None


def _streams(text: str) -> frozenset[StreamName]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in STREAMS]
    if unknown:
        raise Refused.at("streams", f"there is no stream {unknown[0][:32]!r}; there are {', '.join(STREAMS)}")
    return frozenset(name for name in STREAMS if name in names or not names)


def live_router(streams: LiveStreams, doorkeeper: Doorkeeper) -> Router:
    """The live stream alone: it is no business of handlers that run in threads."""
    return Router(
        path="/",
        route_handlers=[live],
        middleware=[lambda app: SignedInAuthentication(app, doorkeeper)],
        dependencies={"live_streams": Provide(lambda: streams, sync_to_thread=False)},
        tags=["read"],
    )
