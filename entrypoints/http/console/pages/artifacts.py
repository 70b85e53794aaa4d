"""`/runs/{run}/artifacts`: what the job produced, why it is believed to be complete, and what of it is kept here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromQuery, SkipValidation

from application.ports.object_store import ObjectStore
from application.queries.artifact import ListedArtifact, listed_artifacts
from domain.ids import RunId
from entrypoints.http.console.console import AsSignedIn, Using, here, user_of
from entrypoints.http.console.contexts.artifacts import ArtifactRow, ArtifactsPage
from entrypoints.http.console.look import Look, Looking
from entrypoints.http.console.pages.job_head import job_head, live_address
from entrypoints.http.console.rendering import rendered
from entrypoints.http.console.wording import value

_A_PAGE = 100
_METRICS = 100
_CHARS = 400
"""Most that is shown of the metrics of one artifact, and of one of them."""


@get("/runs/{run_id:str}/artifacts", include_in_schema=False, sync_to_thread=True)
def artifacts_page(
    request: AsSignedIn,
    look: Looking,
    console: Using,
    bodies: NamedDependency[SkipValidation[ObjectStore]],
    cursor: FromQuery[str] = "",
) -> Response[bytes]:
    """The page."""
    with console.views(look) as views:
        head = job_head(views, console, request.user, look, "artifacts")
        found = listed_artifacts(
            views, bodies, RunId(look.run_id), attempt=look.attempt, limit=_A_PAGE, cursor=cursor or None
        )
        page = ArtifactsPage(
            title=f"{head.run.name} · artifacts",
            user=user_of(request),
            head=head,
            live=live_address(views, head, ("lifecycle",), attempt=head.run.attempt),
            artifacts=[_row(look, one) for one in found.items],
            here=here(request),
            first_page=look.page("artifacts") if cursor else None,
            next_page=look.page("artifacts", cursor=found.next_cursor) if found.next_cursor else None,
        )
    return rendered(page)


def _row(look: Look, artifact: ListedArtifact) -> ArtifactRow:
    kept = artifact.stored_bytes is not None
    return ArtifactRow(
        artifact=artifact,
        metrics=list(_metrics(artifact.metrics or {})),
        download=look.api(f"artifacts/{artifact.artifact_id}/bytes") if kept else "",
        report=look.page(f"history/{artifact.position}"),
    )


def _metrics(metrics: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name in list(metrics)[:_METRICS]:
        said = metrics[name]
        is_number = isinstance(said, int | float) and not isinstance(said, bool)
        yield name, value(said) if is_number else msgspec.json.encode(said).decode()[:_CHARS]


ROUTES = (artifacts_page,)
