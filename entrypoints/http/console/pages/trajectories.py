"""`/runs/{run}/trajectories`: the index of trajectories, filtered before it is paged."""

from __future__ import annotations

from functools import partial

from litestar import Response, get
from litestar.params import FromQuery
from msgspec.structs import replace
from tuneplane.contract import SCOPES

from application.ports.views import Views
from application.queries.trajectory_index import ANY, DIAGNOSTICS, TrajectoryFilter, diagnostic_counts, trajectories
from domain.ids import Micros, RunId
from entrypoints.http.console.console import AsSignedIn, Using, here, moment_of, user_of
from entrypoints.http.console.contexts.trajectories import Category, Row, TrajectoriesPage
from entrypoints.http.console.look import Look, Looking
from entrypoints.http.console.pages.job_head import job_head, live_address
from entrypoints.http.console.pages.trajectory_filter import STATES, WANTED, Wanted, query_of
from entrypoints.http.console.rendering import rendered

_A_PAGE = 50


@get("/runs/{run_id:str}/trajectories", dependencies=WANTED, include_in_schema=False, sync_to_thread=True)
def index(
    request: AsSignedIn, look: Looking, console: Using, wanted: Wanted, cursor: FromQuery[str] = ""
) -> Response[bytes]:
    """What is recorded of each; the texts are read one by one."""
    address = partial(look.page, "trajectories")
    asked = query_of(wanted)
    with console.views(look) as views:
        moment = moment_of(views, look)
        head = job_head(views, console, request.user, look, "trajectories")
        found = trajectories(
            views,
            RunId(look.run_id),
            wanted,
            now=moment,
            attempt=look.attempt,
            limit=_A_PAGE,
            cursor=cursor or None,
        )
        page = TrajectoriesPage(
            title=f"{head.run.name} · trajectories",
            user=user_of(request),
            head=head,
            live=live_address(views, head, ("lifecycle",), attempt=head.run.attempt),
            rows=[
                Row(trajectory=one, address=look.page(f"trajectories/{one.trajectory_id}", **asked))
                for one in found.items
            ],
            categories=_categories(views, look, wanted, moment),
            wanted=wanted,
            scopes=SCOPES,
            diagnostics=DIAGNOSTICS,
            states=STATES,
            form=Look(run_id=look.run_id).page("trajectories"),
            everything=address(),
            filtered=wanted != ANY,
            here=here(request),
            first_page=address(**asked) if cursor else None,
            next_page=address(**asked, cursor=found.next_cursor) if found.next_cursor else None,
        )
    return rendered(page)


def _categories(views: Views, look: Look, wanted: TrajectoryFilter, moment: Micros) -> list[Category]:
    counts = diagnostic_counts(views, RunId(look.run_id), wanted, now=moment, attempt=look.attempt)

    def category(label: str, count: int, diagnostic: str | None) -> Category:
        return Category(
            label=label,
            count=count,
            address=look.page("trajectories", **query_of(replace(wanted, diagnostic=diagnostic))),
            chosen=wanted.diagnostic == diagnostic,
        )

    everything = category("all", sum(counts.values()), None)
    return [everything, *(category(one.replace("_", " "), counts[one], one) for one in DIAGNOSTICS)]


ROUTES = (index,)
