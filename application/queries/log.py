"""What a job printed: as lines, from any place on, and as it was printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from application.ports.views import Views
from application.projections.log import PIECE, STATE, LogPieceRecord, LogStateRecord
from application.queries.asked_attempt import latest_attempt
from application.queries.log_pieces import (
    A_LOOK,
    LogLine,
    ending_behind,
    events_of,
    log_line,
    of_log,
    printed,
    within_bytes,
)
from application.queries.page import MOST, cursor_of, page_size, parts_of
from domain.errors import Refused
from domain.ids import Attempt, RunId
from domain.rules.log_lines import Line, LineState, step, unfinished

_KIND = "log"
_BYTES = 4_000_000
"""Printed text read for one answer, beyond the first piece."""


class LogPage(msgspec.Struct, frozen=True, kw_only=True):
    """Lines in order, and where they go on."""

    attempt: Attempt | None
    """None where the run has none yet."""
    lines: list[LogLine]
    next_cursor: str | None
    """Asked with it, what came since is answered. None where the log has ended and all of it was answered."""
    eof: bool
    """The job said that nothing follows, and these lines are the last."""
    cursor: str
    """The place these lines reach, ended or not: to resume after a stream was cut."""


class _Place(msgspec.Struct, frozen=True):
    """What a cursor stands for: lines from `n` on; line `n` itself only if it has grown since position `seen`."""

    attempt: Attempt
    n: int
    seen: int = 0


def lines(
    views: Views,
    run: RunId,
    *,
    attempt: int | None = None,
    cursor: str | None = None,
    limit: int | None = None,
    tail: int | None = None,
) -> LogPage:
    """Up to `limit` lines behind `cursor`, from the start without it; or the last `tail`, followed from there.

    Without an attempt, the latest. A page may hold fewer lines than there are: `next_cursor` goes on. Raises
    `UnknownRun`, `UnknownThing` for an attempt that was never opened, and `Refused` for a cursor of another log.
    """
    shown = latest_attempt(views, run, attempt)
    size = page_size(limit)
    if cursor:
        place = _place_of(cursor, run)
        if attempt not in (None, place.attempt) or shown is None or place.attempt > shown:
            raise Refused.at("cursor", "belongs to another attempt")
    else:
        # Attempts count from 0, so this is also where the first line of a run without attempts will be.
        place = _Place(shown if shown is not None else Attempt(0), 0)
    state = views.records.get(STATE, run, place.attempt)
    if tail is not None and not cursor:
        if not 1 <= tail <= MOST:
            raise Refused.at("tail", f"must be 1 to {MOST:,}", MOST)
        place, size = _Place(place.attempt, _tail_start(state, tail)), tail
    found, reached = _read(views, run, place, state, size)
    eof = state is not None and state.eof and (reached.n, reached.seen) >= (state.state.n, state.grown_at)
    here = cursor_of(_KIND, run, reached.attempt, reached.n, reached.seen)
    return LogPage(
        attempt=None if shown is None else reached.attempt,
        lines=[log_line(one) for one in found],
        next_cursor=None if eof else here,
        eof=eof,
        cursor=here,
    )


def before_line(run: RunId, attempt: Attempt, n: int) -> str:
    """The cursor from which `lines` goes on with line `n`."""
    return cursor_of(_KIND, run, attempt, max(n, 0), 0)


def text(views: Views, run: RunId, *, attempt: int | None = None) -> Iterator[str]:
    """Everything the attempt (without one, the latest) printed, as it was printed, in pieces, in constant memory.

    Raises as `lines`, at once.
    """
    shown = latest_attempt(views, run, attempt)
    return iter(()) if shown is None else _text(views, run, shown)


def _text(views: Views, run: RunId, attempt: Attempt) -> Iterator[str]:
    after: tuple[str | int, ...] | None = None
    while pieces := views.records.find(PIECE, *of_log(run, attempt), after=after, limit=A_LOOK):
        after = (run, attempt, pieces[-1].position)
        while pieces:
            some = within_bytes(pieces, _BYTES)
            pieces = pieces[len(some) :]
            yield from printed(views, some)


def _read(
    views: Views, run: RunId, place: _Place, state: LogStateRecord | None, size: int
) -> tuple[list[Line], _Place]:
    """Up to `size` lines from `place` on, and the place behind them."""
    if state is None or place.n > state.state.n:
        return [], place
    ended, n = _ended(views, run, place, size)
    half = unfinished(state.state)
    if n < state.state.n or (half is not None and len(ended) == size):
        return ended, _Place(place.attempt, n)
    grown = place.seen < state.grown_at
    reached = _Place(place.attempt, n, state.grown_at)
    return (ended if half is None or not grown else [*ended, half]), reached


def _ended(views: Views, run: RunId, place: _Place, size: int) -> tuple[list[Line], int]:
    """Up to `size` lines that have ended, from `place` on, and the number of the next one."""
    result: list[Line] = []
    n, room = place.n, _BYTES
    more = True
    while more:
        pieces = ending_behind(views, run, place.attempt, n)
        chosen = _enough(pieces, n + size - len(result), room)
        events = events_of(views, chosen)
        for piece in chosen:
            if piece.position in events:
                recorded, event = events[piece.position]
                came, _ = step(piece.before or LineState(), event.pieces, recorded.recorded_at)
                result += [line for line in came if line.n >= n]
            n = piece.next_line
            room -= piece.size_bytes
        more = len(result) < size and len(chosen) == len(pieces) == A_LOOK
    if len(result) > size:
        del result[size:]
        n = result[-1].n + 1
    return result, n


def _enough(pieces: Sequence[LogPieceRecord], line: int, room: int) -> list[LogPieceRecord]:
    """The first of `pieces` that reach `line`, and no more than `room` bytes of them beyond the first."""
    chosen: list[LogPieceRecord] = []
    for piece in within_bytes(pieces, room):
        chosen.append(piece)
        if piece.next_line >= line:
            break
    return chosen


def _tail_start(state: LogStateRecord | None, tail: int) -> int:
    if state is None:
        return 0
    half = unfinished(state.state) is not None
    return max(0, state.state.n + half - tail)


def _place_of(cursor: str, run: RunId) -> _Place:
    of, attempt, n, seen = parts_of(cursor, _KIND, tuple[str, int, int, int])
    if of != run or min(attempt, n, seen) < 0:
        raise Refused.at("cursor", "belongs to another run")
    return _Place(Attempt(attempt), n, seen)
