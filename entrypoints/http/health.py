"""/healthz: the process answers. /readyz: it can take reports. /metrics: what it did, as Prometheus reads it."""

from __future__ import annotations

from collections.abc import Iterator

from litestar import MediaType, Response, Router, get
from litestar.di import NamedDependency, Provide
from litestar.params import SkipValidation

from application.event_log.group_commit import GroupCommit
from application.ports.event_log import EventLog
from domain.errors import TryAgain
from entrypoints.http.counters import Counters
from entrypoints.http.stopping import Stopping


class Health:
    """What the three are asked of."""

    def __init__(self, log: EventLog, commit: GroupCommit, counters: Counters, stopping: Stopping) -> None:
        self._log = log
        self._commit = commit
        self._counters = counters
        self._stopping = stopping

    def check(self) -> int:
        """Position of the log. Raises `TryAgain` where reports cannot be taken."""
        if self._stopping.begun:
            raise TryAgain("The server is stopping.")
        return self._log.head().position

    def exposition(self) -> str:
        """Prometheus text, format 0.0.4."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield "# TYPE tuneplane_http_requests_total counter"
        for (area, status), count in sorted(self._counters.requests.items()):
            yield f'tuneplane_http_requests_total{{area="{area}",status="{status}"}} {count}'
        yield "# HELP tuneplane_reported_total Points of metrics and hardware, events of everything else."
        yield "# TYPE tuneplane_reported_total counter"
        for fate in ("accepted", "duplicates", "set_aside"):
            yield f'tuneplane_reported_total{{fate="{fate}"}} {self._counters.reports[fate]}'
        commit = self._commit.counters()
        yield "# TYPE tuneplane_commit_groups_total counter"
        yield f"tuneplane_commit_groups_total {commit.groups}"
        yield "# TYPE tuneplane_commit_events_total counter"
        yield f"tuneplane_commit_events_total {commit.events}"
        yield "# TYPE tuneplane_commit_waiting gauge"
        yield f"tuneplane_commit_waiting {commit.queued}"
        try:
            position = self._log.head().position
        except TryAgain:
            yield "# The log cannot be read right now."
            return
        yield "# TYPE tuneplane_log_position gauge"
        yield f"tuneplane_log_position {position}"


Using = NamedDependency[SkipValidation[Health]]


@get("/healthz", sync_to_thread=False)
def healthz() -> dict[str, bool]:
    """The process is alive; says nothing of the database."""
    return {"ok": True}


@get("/readyz", sync_to_thread=True)
def readyz(health: Using) -> dict[str, int]:
    """The log can be read; 503 where it cannot, or while the server stops."""
    return {"position": health.check()}


@get("/metrics", sync_to_thread=True, media_type=MediaType.TEXT)
def exposition(health: Using) -> Response[str]:
    """Counters since the start."""
    return Response(health.exposition(), media_type="text/plain; version=0.0.4; charset=utf-8")


def health_router(health: Health) -> Router:
    """Open to everybody: counts, and nothing of any run."""
    return Router(
        path="/",
        route_handlers=[healthz, readyz, exposition],
        dependencies={"health": Provide(lambda: health, sync_to_thread=False, use_cache=True)},
        tags=["health"],
    )
