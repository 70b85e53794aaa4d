"""Text that is too long to hold: streamed from the views, piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

from litestar.response import Stream

from application.ports.views import Views
from entrypoints.http.api.moment import Moment

_PIECE_CHARS = 64 * 1024


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
        views = held.enter_context(moment.views(run))
        found = pieces(views)
        headers = {**moment.headers(views), **headers, "X-Content-Type-Options": "nosniff"}
    except BaseException:
        held.close()
        raise
    return Stream(_bytes(held, found), media_type=media_type, headers=headers)


def _bytes(held: ExitStack, pieces: Iterator[str]) -> Iterator[bytes]:
    """UTF-8 in pieces of some size; half a surrogate pair, which it cannot hold, becomes U+FFFD."""
    with held:
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
