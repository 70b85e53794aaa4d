"""Search over a whole log, a bounded piece at a time.

Literal text in any case, or what looks like an error; what a person types never becomes a pattern. Looked through are
lines as they are shown: the first 16,384 characters of each, without colours, of a progress bar its last state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from application.ports.views import Views
from application.projections.log import STATE, LogPieceRecord, LogStateRecord
from application.queries.asked_attempt import latest_attempt
from application.queries.log_pieces import A_LOOK, LogLine, ending_behind, events_of, log_line, within_bytes
from application.queries.page import cursor_of, page_size, parts_of
from domain.errors import Refused
from domain.ids import Attempt, RunId
from domain.rules.error_line import looks_like_error, may_hold_errors
from domain.rules.log_lines import LINE_CHARS, Line, LineState, is_plain, step, unfinished

QUERY_CHARS = 256
_KIND = "log-search"
_BYTES = 2_000_000
"""Printed text looked through for one answer, beyond the first piece."""
_LOOKS = 16
"""Times that the index is read for one answer."""


class LogMatches(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that match, and how far the search has come."""

    attempt: Attempt | None
    """None where the run has none yet."""
    matches: list[LogLine]
    """In order."""
    searched_from: int
    """Number of the first line that this answer looked at."""
    searched_to: int
    """Number of the line behind the last that it looked at."""
    lines: int
    """Lines of the log so far, an unfinished one included."""
    next_cursor: str | None
    """Goes on behind `searched_to`, with the same question; None where every line so far was looked at."""


class Wanted(msgspec.Struct, frozen=True):
    """What is looked for: a line is found where it meets both."""

    text: str
    """Literal, compared without case; empty: anything."""
    errors: bool
    """Only lines that look like errors."""

    def in_line(self) -> Callable[[str], bool]:
        """Whether a line is one."""
        wanted = self.text.casefold()
        if not self.errors:
            return lambda line: wanted in line.casefold()
        if not wanted:
            return looks_like_error
        return lambda line: wanted in line.casefold() and looks_like_error(line)

    def may_be_in(self, printed: str) -> bool:
        """False where no line of it can be one: lines are made only of what may be."""
        if not is_plain(printed):
            return True
        if self.errors and not may_hold_errors(printed):
            return False
        return self.text.casefold() in printed.casefold()


class _Found(msgspec.Struct):
    """A search under way."""

    n: int
    """Lines before this one were looked at."""
    lines: list[Line] = msgspec.field(default_factory=list)


def search(
    views: Views,
    run: RunId,
    wanted: Wanted,
    *,
    first: int = 0,
    attempt: int | None = None,
    cursor: str | None = None,
    limit: int | None = None,
) -> LogMatches:
    """Up to `limit` matches from line `first` on, or behind `cursor`; without an attempt, in the latest.

    A page may hold fewer, even none: `next_cursor` goes on. Raises `UnknownRun`, `UnknownThing` for an attempt that was
    never opened, and `Refused` where nothing is looked for and for a cursor of another log.
    """
    if not wanted.text and not wanted.errors:
        raise Refused.at("q", "must hold what to look for")
    size = page_size(limit)
    shown = latest_attempt(views, run, attempt)
    if cursor:
        shown, first = _place_of(cursor, run, shown, attempt)
    state = None if shown is None else views.records.get(STATE, run, shown)
    if shown is None or state is None:
        return LogMatches(attempt=shown, matches=[], searched_from=0, searched_to=0, lines=0, next_cursor=None)
    lines = state.state.n + (unfinished(state.state) is not None)
    found = _searched(views, run, shown, wanted, state, _Found(min(first, lines)), size)
    return LogMatches(
        attempt=shown,
        matches=[log_line(line) for line in found.lines],
        searched_from=min(first, lines),
        searched_to=found.n,
        lines=lines,
        next_cursor=cursor_of(_KIND, run, shown, found.n) if found.n < lines else None,
    )


def _searched(
    views: Views, run: RunId, attempt: Attempt, wanted: Wanted, state: LogStateRecord, found: _Found, size: int
) -> _Found:
    meets = wanted.in_line()
    for piece, lines in _candidates(views, run, attempt, wanted, found.n):
        for line in lines:
            # Of a line that is cut, the mark is no part of it.
            if line.n < found.n or not meets(line.text[:LINE_CHARS]):
                continue
            found.lines.append(line)
            if len(found.lines) == size:
                found.n = line.n + 1
                return found
        found.n = piece.next_line
    half = unfinished(state.state)
    if half is not None and half.n == found.n:
        found.n += 1
        if meets(half.text[:LINE_CHARS]):
            found.lines.append(half)
    return found


def _candidates(
    views: Views, run: RunId, attempt: Attempt, wanted: Wanted, n: int
) -> Iterator[tuple[LogPieceRecord, list[Line]]]:
    """Pieces behind line `n`, as many as one answer looks at, with the lines of those that may hold what is wanted."""
    room = _BYTES
    for _ in range(_LOOKS):
        pieces = ending_behind(views, run, attempt, n)
        some = within_bytes(pieces, room)
        events = events_of(views, some)
        for piece in some:
            before = piece.before or LineState()
            lines: list[Line] = []
            if piece.position in events:
                recorded, event = events[piece.position]
                if wanted.may_be_in(before.carry + "".join(event.pieces)):
                    lines, _ = step(before, event.pieces, recorded.recorded_at)
            yield piece, lines
            n, room = piece.next_line, room - piece.size_bytes
        if room <= 0 or len(some) < len(pieces) or len(pieces) < A_LOOK:
            return


def _place_of(cursor: str, run: RunId, shown: Attempt | None, attempt: int | None) -> tuple[Attempt, int]:
    of, in_attempt, n = parts_of(cursor, _KIND, tuple[str, int, int])
    if of != run or min(in_attempt, n) < 0:
        raise Refused.at("cursor", "belongs to another run")
    if attempt not in (None, in_attempt) or shown is None or in_attempt > shown:
        raise Refused.at("cursor", "belongs to another attempt")
    return Attempt(in_attempt), n
