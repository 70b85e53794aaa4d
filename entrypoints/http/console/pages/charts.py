"""`/runs/{run}`: the job's curves, and its latest histograms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from litestar import Response, get
from litestar.params import QueryParameter

from application.ports.views import Views
from application.queries.observation import ObservationItem, observations
from application.queries.series import Series, some_series
from domain.errors import Refused
from domain.ids import RunId
from entrypoints.http.console.console import AsSignedIn, Using, user_of
from entrypoints.http.console.contexts.charts import Bar, ChartsPage, Curve, Histogram, Large
from entrypoints.http.console.look import Look, Looking
from entrypoints.http.console.pages.job_head import job_head, live_address
from entrypoints.http.console.rendering import rendered

_MOST_HISTOGRAMS = 12
_MOST_CURVES = 8
Chosen = Annotated[list[str] | None, QueryParameter(name="series")]


@get("/runs/{run_id:str}", include_in_schema=False, sync_to_thread=True)
def charts(request: AsSignedIn, look: Looking, console: Using, chosen: Chosen = None) -> Response[bytes]:
    """The page; its script fetches the curves that are in view, or those of up to 8 series drawn large."""
    with console.views(look) as views:
        head = job_head(views, console, request.user, look, "charts")
        page = ChartsPage(
            title=f"{head.run.name} · charts",
            user=user_of(request),
            head=head,
            live=live_address(views, head, ("metrics", "lifecycle", "validation"), attempt=head.run.attempt),
            series=look.api("series"),
            data=look.api("series/data"),
            superseded=look.api("series/superseded") if look.attempt is None and len(head.run.attempts) > 1 else "",
            csv=look.api("series.csv"),
            large=_large(views, look, chosen) if chosen else None,
            series_count=head.run.counts.series,
            histograms=latest_histograms(views, RunId(look.run_id), look.attempt),
        )
    return rendered(page)


def _large(views: Views, look: Look, chosen: Sequence[str]) -> Large:
    keys = list(dict.fromkeys(key for key in chosen if key))
    if len(keys) > _MOST_CURVES:
        raise Refused.at("series", f"may be given at most {_MOST_CURVES} times", _MOST_CURVES)
    found = some_series(views, RunId(look.run_id), keys, attempt=look.attempt).items if keys else []
    known = [one.key for one in found]
    units = sorted({_unit(one) for one in found})
    return Large(
        curves=[
            Curve(
                series=one,
                number=number,
                without=look.page(series=[key for key in known if key != one.key]),
                csv=look.api("series.csv", key=one.key),
            )
            for number, one in enumerate(found, 1)
        ],
        missing=[key for key in keys if key not in known],
        units=units if len(units) > 1 else [],
    )


def _unit(one: Series) -> str:
    said = one.descriptor or {}
    return str(said.get("unit") or said.get("display") or "undeclared")


def latest_histograms(views: Views, run: RunId, attempt: int | None) -> list[Histogram]:
    """The latest histogram of each name among the latest 100, by name."""
    latest: dict[str, ObservationItem] = {}
    for one in observations(views, run, kind="histogram", attempt=attempt).items:
        latest.setdefault(one.name, one)
    return [_histogram(latest[name]) for name in sorted(latest)[:_MOST_HISTOGRAMS]]


def _histogram(said: ObservationItem) -> Histogram:
    counts = said.counts or []
    return Histogram(
        name=said.name,
        step=said.step,
        policy_version=said.policy_version,
        recorded_at=said.recorded_at,
        total=sum(counts),
        bars=_bars(_intervals(said.bounds or []), counts),
    )


def _intervals(bounds: Sequence[float]) -> list[str]:
    """Upper bounds belong to their bucket; the last bucket has none."""
    edges = ["-∞", *(f"{bound:g}" for bound in bounds), "∞"]
    last = len(edges) - 2
    return [f"({edges[at]}, {edges[at + 1]}{')' if at == last else ']'}" for at in range(len(edges) - 1)]


def _bars(labels: Sequence[str], counts: Sequence[int]) -> list[Bar]:
    fullest = max(counts, default=0) or 1
    room = 100 / max(len(counts), 1)
    return [
        Bar(label=label, count=count, height=100 * count / fullest, x=at * room, width=room * 0.9)
        for at, (label, count) in enumerate(zip(labels, counts, strict=False))
    ]


ROUTES = (charts,)
