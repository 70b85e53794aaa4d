"""Places in a log: the line of a time, and one line with all its text."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache

import msgspec

from application.ports.records import Where
from application.ports.views import Views
from application.projections.log import PIECE, STATE, LogPieceRecord
from application.queries.asked_attempt import latest_attempt
from application.queries.log_pieces import ending_behind, of_log, printed, within_bytes
from domain.errors import UnknownThing
from domain.ids import Attempt, Micros, RunId
from domain.rules.log_lines import LineState, as_shown, unfinished

_BYTES = 4_000_000
_PIECES = 1024
"""Most that is read for one line."""


class WholeLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line, however long."""

    n: int
    text: str
    cut: bool
    """It is longer than one answer holds; `logs.txt` has all of it."""


def line_count(views: Views, run: RunId, attempt: int | None) -> int:
    """Lines of an attempt's log so far, an unfinished one included."""
    state = None if attempt is None else views.records.get(STATE, run, attempt)
    return 0 if state is None else state.state.n + (unfinished(state.state) is not None)


def line_at(views: Views, run: RunId, at: Micros, *, attempt: int | None = None) -> int:
    """Number of the first line that began at `at` or later; of the next to come where none did.

    Found by halving: it holds as far as the server's clock never went back. Raises `UnknownRun`, `UnknownThing`.
    """
    chosen = latest_attempt(views, run, attempt)
    state = None if chosen is None else views.records.get(STATE, run, chosen)
    if chosen is None or state is None:
        return 0
    recorded_at = lru_cache(lambda piece: views.log.at([piece.position])[0].recorded_at)

    def began(n: int) -> Micros:
        piece = ending_behind(views, run, chosen, n, limit=1)[0]
        before = piece.before or LineState()
        return before.recorded_at if n == before.n and before.recorded_at is not None else recorded_at(piece)

    found = bisect_left(range(state.state.n), at, key=began)
    half = unfinished(state.state)
    return found + (found == state.state.n and half is not None and half.recorded_at < at)


def whole_line(views: Views, run: RunId, n: int, *, attempt: int | None = None) -> WholeLine:
    """Raises `UnknownRun`, and `UnknownThing` for an attempt that was never opened and behind the end of the log."""
    chosen = latest_attempt(views, run, attempt)
    pieces = [] if chosen is None else _pieces_of(views, run, chosen, n)
    some = within_bytes(pieces, _BYTES)
    lines = "".join(printed(views, some)).split("\n")
    at = n - (pieces[0].before or LineState()).n if pieces else 0
    if not pieces or at >= len(lines) - (not lines[-1]):
        raise UnknownThing(f"This log has no line {n + 1:,}.")
    return WholeLine(n=n, text=as_shown(lines[at]), cut=len(some) < len(pieces))


def _pieces_of(views: Views, run: RunId, attempt: Attempt, n: int) -> list[LogPieceRecord]:
    """The pieces that hold text of line `n`, in order; perhaps one too many, to tell that there are more."""
    ending = ending_behind(views, run, attempt, n, limit=1)
    before = ending[0].before if ending else None
    if before is not None and (before.n < n or before.recorded_at is None):
        return ending
    begun = views.records.find(
        PIECE,
        *of_log(run, attempt),
        Where("ended", "=", value=True),
        Where("next_line", "<=", n),
        order=("next_line",),
        descending=True,
        limit=1,
    )
    where = [Where("position", ">=", begun[0].position)] if begun else []
    where += [Where("position", "<=", ending[0].position)] if ending else []
    return views.records.find(PIECE, *of_log(run, attempt), *where, limit=_PIECES + 1)
