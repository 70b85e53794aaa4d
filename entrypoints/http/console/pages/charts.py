"""`/runs/{run}`: the job's curves, and what it observed beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from litestar import Response, get
from litestar.params import QueryParameter

from application.ports.views import Views
from application.queries.series import Series, some_series
from domain.errors import Refused
from domain.ids import RunId
from entrypoints.http.console.console import AsSignedIn, Using, user_of
from entrypoints.http.console.contexts.charts import ChartsPage, Curve, Large
from entrypoints.http.console.look import Look, Looking
from entrypoints.http.console.pages.job_head import job_head, live_address
from entrypoints.http.console.pages.observed import OBSERVED_STREAMS, observed
from entrypoints.http.console.rendering import rendered

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
            live=live_address(views, head, OBSERVED_STREAMS, attempt=head.run.attempt),
            series=look.api("series"),
            data=look.api("series/data"),
            superseded=look.api("series/superseded") if look.attempt is None and len(head.run.attempts) > 1 else "",
            csv=look.api("series.csv"),
            large=_large(views, look, chosen) if chosen else None,
            series_count=head.run.counts.series,
            observations=observed(views, look, head.coverage),
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


ROUTES = (charts,)
