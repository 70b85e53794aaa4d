"""Lines of a log as pages hold them: around a place, the last ones, and cut where they are long."""

from __future__ import annotations

import msgspec

from application.ports.views import Views
from application.queries.log import LogPage, before_line, lines
from application.queries.log_pieces import LogLine
from domain.ids import Attempt, RunId
from domain.rules.log_lines import LINE_CHARS
from entrypoints.http.console.addresses import extended
from entrypoints.http.console.contexts.logs import ShownLine
from entrypoints.http.console.look import Look

SHOWN_CHARS = 2_000
"""Of a line, at first."""


def shown_line(line: LogLine) -> ShownLine:
    """The line, its end behind a link where it is long."""
    return ShownLine(
        n=line.n,
        ts=line.ts,
        text=line.text[:SHOWN_CHARS],
        partial=line.partial,
        error=line.error,
        more=_more(len(line.text)),
    )


def last_lines(views: Views, look: Look, count: int) -> LogPage:
    """The last ones."""
    return lines(views, RunId(look.run_id), attempt=look.attempt, tail=count)


def lines_from(views: Views, look: Look, first: int, count: int) -> LogPage:
    """`count` lines of one attempt from line `first` on, fewer only where the log has no more."""
    run, attempt = RunId(look.run_id), Attempt(look.attempt or 0)
    page = lines(views, run, attempt=attempt, cursor=before_line(run, attempt, first), limit=count)
    found = page.lines
    while len(found) < count and page.lines and page.next_cursor:
        page = lines(views, run, attempt=attempt, cursor=page.next_cursor, limit=count - len(found))
        found = [*found, *page.lines]
    return msgspec.structs.replace(page, lines=found)


def line_link(look: Look) -> str:
    """Address of a line of this log, but for its number."""
    return extended(look.page("logs"), "line")


def _more(chars: int) -> str:
    if chars <= SHOWN_CHARS:
        return ""
    return "show the whole line" if chars > LINE_CHARS else f"show all {chars:,} characters"
