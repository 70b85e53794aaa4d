"""`/runs/{run}/hardware`: what each host and each GPU did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from litestar import Response, get
from litestar.params import FromQuery, QueryParameter

from application.ports.views import Views
from application.queries.hardware_hosts import Card, Host, hardware_hosts
from application.queries.series import some_series
from domain.errors import Refused
from domain.ids import RunId
from entrypoints.http.console.console import AsSignedIn, Using, here, moment_of, user_of
from entrypoints.http.console.contexts.hardware import Beside, CardRow, HardwarePage, HostView
from entrypoints.http.console.look import Look, Looking
from entrypoints.http.console.pages.job_head import job_head, live_address
from entrypoints.http.console.rendering import rendered

_COLUMNS: Mapping[str, str] = {
    "gpu.pct": "Busy",
    "gpu.mem.value": "Memory used",
    "gpu.mem.pct": "of it",
    "gpu.temp": "Temperature",
    "gpu.power": "Power",
}
_ATTRIBUTION = {
    "pid": "cards on which the job's process ran",
    "sticky": "cards on which the job's process ran before",
    "mem": "cards in use: nobody knows by whom",
    "none": "all cards: the job's own are unknown",
}
_MOST_BESIDE = 8
_OFFERED = 100
Keys = Annotated[list[str] | None, QueryParameter(name="beside")]


@get("/runs/{run_id:str}/hardware", include_in_schema=False, sync_to_thread=True)
def hardware(
    request: AsSignedIn,
    look: Looking,
    console: Using,
    cursor: FromQuery[str] = "",
    host: FromQuery[str] = "",
    beside: Keys = None,
) -> Response[bytes]:
    """The page; its script fetches the curves that are in view: of one host where it is named, of all without."""
    with console.views(look) as views:
        head = job_head(views, console, request.user, look, "hardware")
        now = moment_of(views, look)
        found = hardware_hosts(views, RunId(look.run_id), now=now, attempt=look.attempt, cursor=cursor or None)
        page = HardwarePage(
            title=f"{head.run.name} · hardware",
            user=user_of(request),
            head=head,
            live=live_address(views, head, ("metrics", "lifecycle"), attempt=head.run.attempt),
            hosts=[_host(look, one, beside or ()) for one in found.items],
            columns=list(_COLUMNS.values()),
            chosen=host,
            series=look.api("hardware", q=f"{host}/" if host else ""),
            data=look.api("hardware/data"),
            beside=_beside(views, look, host, beside or ()),
            here=here(request),
            first_page=look.page("hardware") if cursor else None,
            next_page=look.page("hardware", cursor=found.next_cursor) if found.next_cursor else None,
        )
    return rendered(page)


def _beside(views: Views, look: Look, host: str, asked: Sequence[str]) -> Beside:
    keys = list(dict.fromkeys(key for key in asked if key))
    if len(keys) > _MOST_BESIDE:
        raise Refused.at("beside", f"may be given at most {_MOST_BESIDE} times", _MOST_BESIDE)
    run = RunId(look.run_id)
    known = [one.key for one in some_series(views, run, keys, attempt=look.attempt).items] if keys else []
    return Beside(
        keys=known,
        missing=[key for key in keys if key not in known],
        offered=views.scalars.keys(run, limit=_OFFERED),
        series=look.api("series", key=known) if known else "",
        data=look.api("series/data"),
        without=look.page("hardware", host=host),
    )


def _host(look: Look, host: Host, beside: Sequence[str]) -> HostView:
    return HostView(
        host=host,
        attribution=_ATTRIBUTION.get(host.gpu_attribution or "", ""),
        cards=[_card(one) for one in host.cards],
        charts=look.page("hardware", host=host.host, beside=list(beside)),
    )


def _card(card: Card) -> CardRow:
    known = {one.metric: one for one in card.readings}
    return CardRow(
        index=card.index,
        model=card.model,
        memory_gb=card.memory_gb,
        uuid=card.uuid,
        shown=[known.get(metric) for metric in _COLUMNS],
        others=[one for one in card.readings if one.metric not in _COLUMNS],
        last_at=card.last_at,
    )


ROUTES = (hardware,)
