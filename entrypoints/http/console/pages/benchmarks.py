"""`/runs/{run}/benchmarks`: scores as they were reported, with their earlier values. Nothing is ranked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from litestar import Response, get
from litestar.params import FromQuery

from application.ports.views import Views
from application.queries.benchmark import BenchmarkScore, benchmarks, score_versions
from domain.ids import RunId
from entrypoints.http.console.addresses import address_of
from entrypoints.http.console.console import AsSignedIn, Using, here, user_of
from entrypoints.http.console.contexts.benchmarks import BenchmarkGroup, BenchmarksPage, ScoreRow
from entrypoints.http.console.look import Look, Looking
from entrypoints.http.console.pages.job_head import job_head, live_address
from entrypoints.http.console.rendering import rendered

_A_PAGE = 200


@get("/runs/{run_id:str}/benchmarks", include_in_schema=False, sync_to_thread=True)
def benchmarks_page(
    request: AsSignedIn, look: Looking, console: Using, cursor: FromQuery[str] = "", score: FromQuery[str] = ""
) -> Response[bytes]:
    """The page; `score` names the one whose earlier values are shown."""
    with console.views(look) as views:
        head = job_head(views, console, request.user, look, "benchmarks")
        found = benchmarks(views, RunId(look.run_id), attempt=look.attempt, limit=_A_PAGE, cursor=cursor or None)
        page = BenchmarksPage(
            title=f"{head.run.name} · benchmarks",
            user=user_of(request),
            head=head,
            live=live_address(views, head, ("lifecycle",), attempt=head.run.attempt),
            groups=list(_groups(views, look, found.items, score, cursor)),
            review=address_of("/review", {"left": look.run_id}),
            here=here(request),
            first_page=look.page("benchmarks") if cursor else None,
            next_page=look.page("benchmarks", cursor=found.next_cursor) if found.next_cursor else None,
        )
    return rendered(page)


def _groups(
    views: Views, look: Look, scores: Sequence[BenchmarkScore], chosen: str, cursor: str
) -> Iterator[BenchmarkGroup]:
    ordered = sorted(scores, key=lambda one: (one.benchmark, one.metric, one.runner, one.model, one.attempt))
    for benchmark, group in groupby(ordered, key=lambda one: one.benchmark):
        yield BenchmarkGroup(benchmark=benchmark, rows=[_row(views, look, one, chosen, cursor) for one in group])


def _row(views: Views, look: Look, score: BenchmarkScore, chosen: str, cursor: str) -> ScoreRow:
    is_open = score.score_id == chosen
    return ScoreRow(
        score=score,
        address=look.page("benchmarks", cursor=cursor, score="" if is_open else score.score_id),
        versions=score_versions(views, RunId(look.run_id), score.score_id) if is_open else [],
    )


ROUTES = (benchmarks_page,)
