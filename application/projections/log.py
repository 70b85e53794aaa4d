"""Where each line of a log is: an index over the events that hold its text."""

from __future__ import annotations

import msgspec

from application.ports.event_log import RecordedEvent
from application.ports.records import Records, RecordTable
from application.projections.projection import Projection
from domain.events import Event, LogReported
from domain.ids import Attempt, Position, RunId
from domain.rules.log_lines import LineState, advance


class LogPieceRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One log event of an attempt."""

    run: RunId
    attempt: Attempt
    position: Position
    ended: bool
    """Whether a line ends in it; the text of the others is in the `before` of the next that does."""
    next_line: int
    """Number of the line that is unfinished behind it."""
    before: LineState | None
    """Where the text before it left off; None where no line ends in it."""
    size_bytes: int
    """UTF-8."""


class LogStateRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Where the log of an attempt has got to."""

    run: RunId
    attempt: Attempt
    state: LineState
    grown_at: Position
    """The last event that brought text."""
    eof: bool = False
    """The job said that nothing follows."""


PIECE = RecordTable(
    name="piece",
    record=LogPieceRecord,
    key=("run", "attempt", "position"),
    columns=("ended", "next_line"),
    indexes=(("run", "attempt", "ended", "next_line"),),
)
STATE = RecordTable(name="state", record=LogStateRecord, key=("run", "attempt"))


def project(recorded: RecordedEvent, event: Event, records: Records) -> None:
    match event:
        case LogReported(run=run, attempt=attempt, eof=eof):
            known = records.get(STATE, run, attempt) or LogStateRecord(
                run=run, attempt=attempt, state=LineState(), grown_at=Position(0)
            )
            if any(event.pieces):
                known = _grown(recorded, event, known, records)
            records.put(STATE, msgspec.structs.replace(known, eof=known.eof or eof))
        case _:
            pass


def _grown(recorded: RecordedEvent, event: LogReported, known: LogStateRecord, records: Records) -> LogStateRecord:
    state = advance(known.state, event.pieces, recorded.recorded_at)
    ended = state.n > known.state.n
    size = sum(len(piece.encode(errors="surrogatepass")) for piece in event.pieces)
    piece = LogPieceRecord(
        run=event.run,
        attempt=event.attempt,
        position=recorded.position,
        ended=ended,
        next_line=state.n,
        before=known.state if ended else None,
        size_bytes=size,
    )
    records.put(PIECE, piece)
    return msgspec.structs.replace(known, state=state, grown_at=recorded.position)


LOG_PROJECTION = Projection(name="log", version=1, reads=(LogReported,), tables=(PIECE, STATE), project=project)
