"""`/runs/{run}/observations`: coverage, histograms, events and health, whole and in parts that are renewed."""

from __future__ import annotations

from typing import Annotated

from litestar import Response, get
from litestar.params import QueryParameter
from tuneplane.contract import EVENT_NAME_CHARS

from entrypoints.http.console.console import AsSignedIn, Using, user_of
from entrypoints.http.console.contexts.observations import (
    ChosenHistogramPart,
    CoveragePart,
    EventsPart,
    HealthPart,
    LatestHistogramsPart,
    ObservationsPage,
)
from entrypoints.http.console.look import Looking
from entrypoints.http.console.pages.job_head import job_head, live_address
from entrypoints.http.console.pages.observed import (
    OBSERVED_STREAMS,
    covered_by,
    events_view,
    health_view,
    histograms_view,
    names_of,
    observed,
)
from entrypoints.http.console.rendering import rendered

Name = Annotated[str, QueryParameter(name="name", max_length=EVENT_NAME_CHARS)]
Kind = Annotated[str, QueryParameter(name="kind", max_length=16)]
Histogram = Annotated[str, QueryParameter(name="histogram", max_length=EVENT_NAME_CHARS)]


@get("/runs/{run_id:str}/observations", include_in_schema=False, sync_to_thread=True)
def page(
    request: AsSignedIn, look: Looking, console: Using, name: Name = "", kind: Kind = "", histogram: Histogram = ""
) -> Response[bytes]:
    """All four on a page of their own."""
    with console.views(look) as views:
        head = job_head(views, console, request.user, look, "charts")
        found = ObservationsPage(
            title=f"{head.run.name} · observations",
            user=user_of(request),
            head=head,
            live=live_address(views, head, OBSERVED_STREAMS, attempt=head.run.attempt),
            observations=observed(views, look, head.coverage, name=name, kind=kind, histogram=histogram),
        )
    return rendered(found)


@get("/runs/{run_id:str}/observations/coverage", include_in_schema=False, sync_to_thread=True)
def coverage_part(look: Looking, console: Using) -> Response[bytes]:
    """Coverage by capability."""
    with console.views(look) as views:
        return rendered(CoveragePart(title="", look=look, coverage=covered_by(views, look)))


@get("/runs/{run_id:str}/observations/histograms", include_in_schema=False, sync_to_thread=True)
def latest_histograms_part(look: Looking, console: Using) -> Response[bytes]:
    """The latest histogram of each name."""
    with console.views(look) as views:
        found = histograms_view(views, look, names_of(views, look), "")
    return rendered(LatestHistogramsPart(title="", look=look, histograms=found))


@get("/runs/{run_id:str}/observations/histogram", include_in_schema=False, sync_to_thread=True)
def chosen_histogram_part(look: Looking, console: Using, histogram: Histogram = "") -> Response[bytes]:
    """One histogram over the steps."""
    with console.views(look) as views:
        found = histograms_view(views, look, names_of(views, look), histogram)
    return rendered(ChosenHistogramPart(title="", look=look, histograms=found))


@get("/runs/{run_id:str}/observations/events", include_in_schema=False, sync_to_thread=True)
def events_part(look: Looking, console: Using, name: Name = "", kind: Kind = "") -> Response[bytes]:
    """The latest 100 observations that meet the filters."""
    with console.views(look) as views:
        found = events_view(views, look, names_of(views, look), name, kind)
    return rendered(EventsPart(title="", look=look, events=found))


@get("/runs/{run_id:str}/observations/health", include_in_schema=False, sync_to_thread=True)
def health_part(look: Looking, console: Using) -> Response[bytes]:
    """The reporters one by one."""
    with console.views(look) as views:
        return rendered(HealthPart(title="", look=look, health=health_view(views, look)))


ROUTES = (page, coverage_part, latest_histograms_part, chosen_histogram_part, events_part, health_part)
