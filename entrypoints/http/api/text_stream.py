"""What is too long to hold: text of the views, and bodies, streamed piece by piece."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import anyio.to_thread
from litestar.response import Stream

from application.ports.views import Views
from entrypoints.http.api.moment import Moment
from entrypoints.http.errors import TooManyRequests

DOWNLOADS = 4
"""At one time. Each holds a connection to the database and its snapshot."""
STALL_SECONDS = 60.0
_PIECE_CHARS = 64 * 1024
_places = threading.BoundedSemaphore(DOWNLOADS)


def csv_file(moment: Moment, run: str, name: str, lines: Callable[[Views], Iterator[str]]) -> Stream:
    """A download of comma-separated values."""
    headers = {"Content-Disposition": f'attachment; filename="{run}-{name}.csv"'}
    return text_stream(moment, run, "text/csv; charset=utf-8", lines, headers)


def text_stream(
    moment: Moment, run: str, media_type: str, pieces: Callable[[Views], Iterator[str]], headers: dict[str, str]
) -> Stream:
    """Streams `pieces` of the views, which stay open until it ends; refusals come before the first byte."""
    held = ExitStack()
    try:
        held.enter_context(_a_place())
        views = held.enter_context(moment.views(run))
        found = pieces(views)
        headers = {**moment.headers(views), **headers, "X-Content-Type-Options": "nosniff"}
    except BaseException:
        held.close()
        raise
    return Stream(Download(held, _bytes(found)), media_type=media_type, headers=headers)


def body_stream(pieces: Iterator[bytes], size_bytes: int, name: str) -> Stream:
    """A download of bytes that a job sent: never shown in a page, whatever they are."""
    held = ExitStack()
    held.enter_context(_a_place())
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Content-Length": str(size_bytes),
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
    return Stream(Download(held, pieces), media_type="application/octet-stream", headers=headers)


class Download:
    """Pieces, made in a thread when they are asked for. What it holds it lets go at its end, however it ends.

    That is when all was taken, the reader went away, or took nothing for `STALL_SECONDS`; then the next piece fails, so
    that nobody takes a part for the whole.
    """

    def __init__(self, held: ExitStack, pieces: Iterator[bytes]) -> None:
        self._held = held
        self._pieces = pieces
        self._stalled: asyncio.TimerHandle | None = None

    def __aiter__(self) -> Download:
        return self

    async def __anext__(self) -> bytes:
        """The next piece."""
        self._wait_no_more()
        try:
            piece = await anyio.to_thread.run_sync(next, self._pieces, None)
        except BaseException:
            self._held.close()
            raise
        if piece is None:
            self._held.close()
            raise StopAsyncIteration
        self._stalled = asyncio.get_running_loop().call_later(STALL_SECONDS, self._held.close)
        return piece

    def __del__(self) -> None:
        """Nobody tells it when the reader goes: it is only no longer asked."""
        self._wait_no_more()
        self._held.close()

    def _wait_no_more(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()


@contextmanager
def _a_place() -> Iterator[None]:
    if not _places.acquire(blocking=False):
        raise TooManyRequests(f"{DOWNLOADS} downloads are under way already.")
    try:
        yield
    finally:
        _places.release()


def _bytes(pieces: Iterator[str]) -> Iterator[bytes]:
    """UTF-8 in pieces of some size; half a surrogate pair, which it cannot hold, becomes U+FFFD."""
    waiting: list[str] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= _PIECE_CHARS:
            yield _encoded("".join(waiting))
            waiting, size = [], 0
    yield _encoded("".join(waiting))


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
