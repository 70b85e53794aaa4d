"""`GET /api/runs/{run}/live`: what comes to a run, as it comes. Source: API "live", RULINGS "Logs"."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import count
from typing import Annotated, Any

import msgspec
from litestar import Request, Response, Router, get
from litestar.di import NamedDependency, Provide
from litestar.params import FromPath, QueryParameter
from litestar.response import Stream

from application.queries.live import STREAMS, StreamName, start
from domain.errors import Refused, TokenUnknown, TryAgain
from domain.ids import RunId
from domain.run import named_run
from entrypoints.http.errors import TooManyRequests, Undecodable
from entrypoints.http.live.hub import Frames, LiveHub
from entrypoints.http.signed_in import Doorkeeper, SignedIn, SignedInAuthentication, signed_in
from entrypoints.http.stopping import Stopping

HEARTBEAT_SECONDS = 15.0
"""The longest silence of a stream, and how often its reader is proven again."""
MOST_STREAMS = 1_000
MOST_STREAMS_OF_ACCOUNT = 500
_RETRY_SECONDS = 0.5
_GOLDEN = 0.618
"""Multiples of it, without their whole part, lie evenly between 0 and 1, however many there are."""
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

Streams = Annotated[
    str, QueryParameter(name="streams", description=f"Comma-separated, of {', '.join(STREAMS)}; all if not given.")
]
Resume = Annotated[
    str | None, QueryParameter(name="cursor", description="Id of the last event seen; Last-Event-ID goes before it.")
]


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One reader's question."""

    run: RunId
    streams: frozenset[StreamName]
    cursor: str
    account: str
    still_signed_in: Callable[[], Awaitable[bool]]


class LiveStreams:
    """Opens streams; counts those that are open, for each account."""

    def __init__(self, hub: LiveHub, stopping: Stopping, clock: Callable[[], float] = time.monotonic) -> None:
        self._hub = hub
        self._stopping = stopping
        self._clock = clock
        self._open: Counter[str] = Counter()
        self._opened = count(1)

    async def open(self, asked: Asked) -> Response[None] | Stream:
        """204 where the stream has ended and nothing is left of it: a browser stops asking then."""
        if self._open.total() >= MOST_STREAMS or self._open[asked.account] >= MOST_STREAMS_OF_ACCOUNT:
            raise TooManyRequests(
                f"{self._open[asked.account]:,} live streams of yours are open, {self._open.total():,} in all; "
                f"{MOST_STREAMS_OF_ACCOUNT:,} and {MOST_STREAMS:,} may be."
            )
        first = await self._hub.frames(asked.run, asked.streams, asked.cursor)
        if first.ended and not first.text:
            return Response(None, status_code=204, headers=_HEADERS)
        return Stream(self._messages(asked), media_type="text/event-stream", headers=_HEADERS)

    async def _messages(self, asked: Asked) -> AsyncIterator[bytes]:
        run, streams, cursor = asked.run, asked.streams, asked.cursor
        # Each reader has a beat of its own: hundreds of proofs at one moment held up every line for seconds.
        beat = self._clock() + HEARTBEAT_SECONDS * (next(self._opened) * _GOLDEN % 1)
        self._open[asked.account] += 1
        try:
            yield b"retry: 1000\n\n"
            while not self._stopping.begun:
                if self._clock() >= beat:
                    if not await asked.still_signed_in():
                        return
                    beat = self._clock() + HEARTBEAT_SECONDS
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
                if not found.more and not await self._hub.moved(seen, beat - self._clock()):
                    yield b": still here\n\n"
        finally:
            self._open -= Counter({asked.account: 1})

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
    doorkeeper: NamedDependency[Doorkeeper],
    streams: Streams = "",
    cursor: Resume = None,
) -> Response[None] | Stream:
    """Server-sent events `logs`, `metrics`, `lifecycle`, `validation`, `observations`; `end` when the log has ended."""
    named = named_run(run)
    place = request.headers.get("last-event-id", cursor)

    async def still_signed_in() -> bool:
        try:
            await signed_in(doorkeeper, request)
        except TokenUnknown:
            return False
        except TryAgain:  # the database is away: nobody can be proven, and nobody is put out
            return True
        return True

    try:
        return await live_streams.open(
            Asked(
                run=named,
                streams=_streams(streams),
                cursor=place or start(named),
                account=request.user.account.name,
                still_signed_in=still_signed_in,
            )
        )
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
        dependencies={
            "live_streams": Provide(lambda: streams, sync_to_thread=False),
            "doorkeeper": Provide(lambda: doorkeeper, sync_to_thread=False),
        },
        tags=["read"],
    )
