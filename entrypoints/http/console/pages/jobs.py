"""`/`: the list of jobs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, get_args
from urllib.parse import urlencode

from litestar import Response, get
from litestar.params import FromQuery, QueryParameter

from application.clock import now
from application.projections.run import RunStatus
from application.queries.run import RunItem, runs
from domain.errors import Refused
from domain.ids import Micros
from domain.rules.transport_health import SILENT_AFTER_MICROS
from entrypoints.http.console.console import AsSignedIn, Using, here, user_of
from entrypoints.http.console.contexts.jobs import Job, JobsPage
from entrypoints.http.console.rendering import rendered

STATUSES: tuple[RunStatus, ...] = get_args(RunStatus)
_ACTIVE = frozenset({"starting", "running"})
_A_PAGE = 50
Search = Annotated[str, QueryParameter(max_length=256)]


@get("/", include_in_schema=False, sync_to_thread=True)
def jobs(
    request: AsSignedIn,
    console: Using,
    q: Search = "",
    status: FromQuery[str] = "",
    owner: Search = "",
    tag: Search = "",
    cursor: FromQuery[str] = "",
) -> Response[bytes]:
    """Jobs that meet every filter, newest first."""
    chosen = _status(status)
    with console.reading.now() as views:
        found = runs(
            views,
            status=chosen,
            owner=owner or None,
            tag=tag or None,
            q=q.strip(),
            limit=_A_PAGE,
            cursor=cursor or None,
        )
    moment = now()
    filters = {"q": q, "status": status, "owner": owner, "tag": tag}
    page = JobsPage(
        title="Jobs",
        user=user_of(request),
        jobs=[Job(run=one, silent=is_silent(one, moment)) for one in found.items],
        statuses=STATUSES,
        q=q,
        status=chosen,
        owner=owner,
        tag=tag,
        filtered=any(filters.values()),
        here=here(request),
        first_page=_address(filters) if cursor else None,
        next_page=_address(filters | {"cursor": found.next_cursor}) if found.next_cursor else None,
    )
    return rendered(page)


def is_silent(run: RunItem, moment: Micros) -> bool:
    """Whether a job that should be running was last heard over a minute ago. No status: the next event lifts it."""
    if run.status not in _ACTIVE or run.last_event_at is None:
        return False
    heard = datetime.fromisoformat(run.last_event_at).astimezone(UTC).timestamp() * 1_000_000
    return moment - heard >= SILENT_AFTER_MICROS


def _status(text: str) -> RunStatus | None:
    for status in STATUSES:
        if status == text:
            return status
    if text:
        raise Refused.at("status", f"must be one of {', '.join(STATUSES)}")
    return None


def _address(query: dict[str, str]) -> str:
    given = {name: text for name, text in query.items() if text}
    return f"/?{urlencode(given)}" if given else "/"


ROUTES = (jobs,)
