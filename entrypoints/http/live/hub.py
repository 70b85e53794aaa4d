"""One watch on the views for all readers of this process, and one question for all readers at one place."""

from __future__ import annotations

import asyncio
import threading

import anyio.to_thread
import msgspec

from application.ports.views import Reading
from application.queries.live import Advance, StreamName, advance
from domain.errors import TryAgain, UnknownRun
from domain.ids import Position, RunId
from entrypoints.http.stopping import Stopping

_LOOK_SECONDS = 1.0
_ANSWERS = 128
"""Places that readers are at, whose answers are kept until the views move on; beyond, all are let go of."""
_encoder = msgspec.json.Encoder()


class Frames(msgspec.Struct, frozen=True):
    """What follows a cursor, ready to be sent."""

    text: bytes
    cursor: str
    more: bool
    ended: bool


class LiveHub:
    """Started by its first reader; everything but the watching thread runs on the event loop."""

    def __init__(self, reading: Reading, stopping: Stopping) -> None:
        self._reading = reading
        self._stopping = stopping
        self._waker: asyncio.Task[None] | None = None
        self._position = Position(0)
        self._arrival = asyncio.Event()
        self._asked: dict[tuple[RunId, frozenset[StreamName], str], asyncio.Task[Frames]] = {}
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def position(self) -> Position:
        """How far the views are known to be."""
        return self._position

    async def frames(self, run: RunId, streams: frozenset[StreamName], cursor: str) -> Frames:
        """What came behind `cursor`. Asked once for all who ask the same before the views move on.

        Raises `UnknownRun`, `Refused` for a foreign cursor, `TryAgain` while the database is away.
        """
        self._watch()
        question = (run, streams, cursor)
        task = self._asked.get(question)
        if task is None:
            if len(self._asked) >= _ANSWERS:
                self._asked.clear()
            task = asyncio.ensure_future(anyio.to_thread.run_sync(self._frames, run, streams, cursor))
            self._asked[question] = task
            task.add_done_callback(lambda done: self._forget_failure(question, done))
        return await asyncio.shield(task)

    async def moved(self, beyond: Position, seconds: float) -> bool:
        """Waits until the views are beyond `beyond`, or the server stops; False where neither is so after `seconds`."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while self._position <= beyond and not self._stopping.begun:
            left = deadline - loop.time()
            if left <= 0:
                return False
            try:
                await asyncio.wait_for(self._arrival.wait(), left)
            except TimeoutError:
                return False
        return True

    def close(self) -> None:
        """Ends the watching thread. May be repeated."""
        self._closed.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()

    def _frames(self, run: RunId, streams: frozenset[StreamName], cursor: str) -> Frames:
        with self._reading.now(self._position) as views:
            try:
                return framed(advance(views, run, streams, cursor))
            except UnknownRun:
                head = views.log.head().position
        # It may have been made a moment ago: whoever opens the stream right behind it has no position to wait for.
        with self._reading.now(head) as views:
            return framed(advance(views, run, streams, cursor))

    def _forget_failure(self, question: tuple[RunId, frozenset[StreamName], str], done: asyncio.Task[Frames]) -> None:
        if (done.cancelled() or done.exception() is not None) and self._asked.get(question) is done:
            del self._asked[question]

    def _watch(self) -> None:
        if self._thread is None and not self._closed.is_set():
            loop = asyncio.get_running_loop()
            self._thread = threading.Thread(target=self._follow, args=(loop,), name="live", daemon=True)
            self._thread.start()
            self._waker = asyncio.ensure_future(self._wake_at_the_end())

    async def _wake_at_the_end(self) -> None:
        await self._stopping.wait()
        self._arrived(self._position)

    def _follow(self, loop: asyncio.AbstractEventLoop) -> None:
        seen = Position(0)
        while not self._closed.is_set():
            try:
                found = self._reading.await_news(seen, _LOOK_SECONDS)
            except TryAgain:
                self._closed.wait(_LOOK_SECONDS)
                continue
            if found > seen:
                seen = found
                try:
                    loop.call_soon_threadsafe(self._arrived, found)
                except RuntimeError:  # the loop has ended
                    return

    def _arrived(self, position: Position) -> None:
        self._position = position
        self._asked.clear()
        arrival, self._arrival = self._arrival, asyncio.Event()
        arrival.set()


def framed(found: Advance) -> Frames:
    """The messages as server-sent events; JSON holds no line ends, so each is one line of data."""
    parts = [
        b"id: %b\nevent: %b\ndata: %b\n\n"
        % (message.id.encode(), message.event.encode(), _encoder.encode(message.data))
        for message in found.messages
    ]
    return Frames(b"".join(parts), found.cursor, found.more, found.ended)
