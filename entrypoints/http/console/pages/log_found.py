"""`/runs/{run}/logs/found`: search over the whole log, part by part."""

from __future__ import annotations

from typing import Annotated

from litestar import Response, get
from litestar.params import FromQuery, QueryParameter

from application.ports.views import Views
from application.queries.log_pieces import LogLine
from application.queries.log_search import QUERY_CHARS, Wanted, search
from domain.ids import RunId
from entrypoints.http.console.console import AsSignedIn, Using, user_of
from entrypoints.http.console.contexts.logs import Found, FoundPart, Hit
from entrypoints.http.console.look import Look, Looking
from entrypoints.http.console.pages.log_lines import line_link
from entrypoints.http.console.rendering import rendered

ENOUGH = 100
"""Hits after which a search goes on only when it is told to."""
_BEFORE = 60
_AFTER = 160
"""Characters around what was looked for."""
Searched = Annotated[str, QueryParameter(max_length=QUERY_CHARS)]
Errors = Annotated[bool, QueryParameter(name="errors")]


@get("/runs/{run_id:str}/logs/found", include_in_schema=False, sync_to_thread=True)
def found_part(
    request: AsSignedIn,
    look: Looking,
    console: Using,
    q: Searched = "",
    errors: Errors = False,  # noqa: FBT002 - as it stands in an address
    cursor: FromQuery[str] = "",
    had: Annotated[int, QueryParameter(ge=0, le=1_000_000_000)] = 0,
) -> Response[bytes]:
    """The next part of a search, or its first."""
    with console.views(look) as views:
        found = found_in(views, look, Wanted(q, errors), cursor=cursor, had=had)
    return rendered(FoundPart(title="Search", user=user_of(request), found=found))


def found_in(views: Views, look: Look, wanted: Wanted, *, cursor: str = "", had: int = 0) -> Found:
    """A part of the search, as pages show it. Raises as `search`."""
    page = search(
        views, RunId(look.run_id), wanted, attempt=look.attempt, cursor=cursor or None, limit=ENOUGH - had % ENOUGH
    )
    look = look.at(attempt=page.attempt)
    had += len(page.matches)
    asked = {"q": wanted.text, "errors": "true" if wanted.errors else ""}
    following = look.page("logs/found", **asked, cursor=page.next_cursor, had=had) if page.next_cursor else ""
    return Found(
        q=wanted.text,
        errors=wanted.errors,
        hits=[_hit(line, wanted.text) for line in page.matches],
        line_link=line_link(look),
        had=had,
        searched_to=page.searched_to,
        lines=page.lines,
        following=following,
        goes_on=bool(following) and (had == 0 or had % ENOUGH != 0),
    )


def _hit(line: LogLine, wanted: str) -> Hit:
    folded, text = line.text.casefold(), line.text
    # Where folding changes lengths its places are not the text's: the line is shown from its start.
    start = max(0, folded.find(wanted.casefold())) if len(folded) == len(text) else 0
    end = start + (len(wanted) if wanted and len(folded) == len(text) else 0)
    first = max(0, start - _BEFORE)
    return Hit(
        n=line.n,
        before=("…" if first else "") + text[first:start],
        match=text[start:end],
        after=text[end : end + _AFTER] + ("…" if len(text) > end + _AFTER else ""),
        error=line.error,
    )
