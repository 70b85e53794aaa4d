"""Where lines of a log are looked up: the index of its pieces, and the events that hold their text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from application.ports.event_log import RecordedEvent
from application.ports.records import Where
from application.ports.views import Views
from application.projections.log import PIECE, LogPieceRecord
from application.queries.moment import moment
from domain.events import LogReported, decode
from domain.ids import Attempt, RunId
from domain.rules.error_line import looks_like_error
from domain.rules.log_lines import Line

A_LOOK = 64
"""Index records read at a time."""


class LogLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line as shown: of a progress bar its last state, and no colours."""

    n: int
    """Its number in the attempt, from 0."""
    ts: str
    """When it began, server's clock."""
    text: str
    """At most its first 16,384 characters."""
    partial: bool
    """Its end has not come: it keeps its `n`, and is answered again when it grows."""
    error: bool
    """It looks like an error: a guess from its words."""


def log_line(line: Line) -> LogLine:
    """The line as answers show it."""
    return LogLine(
        n=line.n,
        ts=moment(line.recorded_at),
        text=line.text,
        partial=line.partial,
        error=looks_like_error(line.text),
    )


def of_log(run: RunId, attempt: Attempt) -> tuple[Where, Where]:
    """The condition on records of one log."""
    return Where("run", "=", run), Where("attempt", "=", attempt)


def ending_behind(views: Views, run: RunId, attempt: Attempt, n: int, *, limit: int = A_LOOK) -> list[LogPieceRecord]:
    """Pieces in which line `n` or a later one ends, in order."""
    where = (*of_log(run, attempt), Where("ended", "=", value=True), Where("next_line", ">", n))
    return views.records.find(PIECE, *where, order=("next_line",), limit=limit)


def within_bytes(pieces: Sequence[LogPieceRecord], room: int) -> Sequence[LogPieceRecord]:
    """The first of `pieces`, and those behind it that together hold no more than `room` bytes."""
    for count, piece in enumerate(pieces):
        room -= piece.size_bytes
        if room < 0 and count:
            return pieces[:count]
    return pieces


def events_of(views: Views, pieces: Sequence[LogPieceRecord]) -> dict[int, tuple[RecordedEvent, LogReported]]:
    """The log events of `pieces` by position; erased ones are left out."""
    result: dict[int, tuple[RecordedEvent, LogReported]] = {}
    for recorded in views.log.at([piece.position for piece in pieces]):
        event = None if recorded.payload is None else decode(recorded.tag, recorded.payload)
        if isinstance(event, LogReported):
            result[recorded.position] = (recorded, event)
    return result


def printed(views: Views, pieces: Sequence[LogPieceRecord]) -> Iterator[str]:
    """What `pieces` brought, as it was printed."""
    for _, event in events_of(views, pieces).values():
        yield from event.pieces
