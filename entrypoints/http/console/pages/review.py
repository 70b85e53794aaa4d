"""`/review`: two jobs side by side. It establishes no equivalence of protocols, and ranks what may be ranked alone."""

from __future__ import annotations

from typing import Annotated, Literal

from litestar import Response, get
from litestar.params import FromQuery, QueryParameter
from tuneplane.contract import METRIC_KEY_CHARS

from application.ports.views import Views
from application.queries.review import LOOKED_AT, Review, review
from domain.ids import RunId
from entrypoints.http.console.console import AsSignedIn, Using, here, moment_of, user_of
from entrypoints.http.console.contexts.review import BothView, MetricRow, MetricsView, ReviewPage
from entrypoints.http.console.pages.config_diffs import config_diffs
from entrypoints.http.console.pages.review_choices import round_choices
from entrypoints.http.console.pages.review_sides import (
    DEPENDENCIES,
    SIDES,
    Reviewed,
    Reviewing,
    Seeking,
    Sought,
    pickers_of,
    sides_of,
    views_of,
)
from entrypoints.http.console.pages.review_words import identity, standing
from entrypoints.http.console.rendering import rendered

_METRICS_A_PAGE = 50
Only = Literal["all", "differing"]


@get("/review", include_in_schema=False, sync_to_thread=True, dependencies=DEPENDENCIES)
def review_page(
    request: AsSignedIn,
    console: Using,
    reviewed: Reviewing,
    seeking: Sought,
    q: Annotated[str, QueryParameter(max_length=METRIC_KEY_CHARS)] = "",
    only: FromQuery[Only] = "all",
    cursor: FromQuery[str] = "",
) -> Response[bytes]:
    """Both jobs, or a search for those that are not chosen."""
    jobs, at, both = reviewed.jobs(), here(request), None
    pickers = pickers_of(console, jobs, seeking)
    if len(pickers) == len(SIDES):
        sides = sides_of(None, jobs, pickers, here=at, path="/review")
    else:
        with views_of(console, jobs) as views:
            sides = sides_of(views, jobs, pickers, here=at, path="/review")
            both = None if pickers else _both(views, jobs, seeking, q, only, cursor)
    return rendered(ReviewPage(title="Review", user=user_of(request), sides=sides, both=both))


def _both(views: Views, jobs: Reviewed, seeking: Seeking, q: str, only: Only, cursor: str) -> BothView:
    found = review(
        views,
        RunId(jobs.left),
        RunId(jobs.right),
        now=moment_of(views, jobs.look("left")),
        q=q.strip(),
        differing=only == "differing",
        limit=_METRICS_A_PAGE,
        cursor=cursor or None,
    )
    left, right = jobs.look("left"), jobs.look("right")
    return BothView(
        rounds=round_choices(views, jobs, seeking, path="/review"),
        metrics=_metrics(found, jobs, q, only, first=not cursor),
        config=config_diffs(views, left, right),
        config_page=left.page("config", against=right.run_id),
        benchmarks=found.benchmarks,
    )


def _metrics(found: Review, jobs: Reviewed, q: str, only: Only, *, first: bool) -> MetricsView:
    chosen = "" if only == "all" else only
    following = found.metrics.next_cursor
    return MetricsView(
        rows=[MetricRow(metric=one, identity=identity(one), standing=standing(one)) for one in found.metrics.items],
        q=q,
        differing=only == "differing",
        looked_at=LOOKED_AT,
        kept=jobs.kept(),
        first_page=None if first else jobs.address(q=q, only=chosen) + "#metrics",
        next_page=jobs.address(q=q, only=chosen, cursor=following) + "#metrics" if following else None,
        left_data=jobs.look("left").api("series/data", buckets=400),
        right_data=jobs.look("right").api("series/data", buckets=400),
    )


ROUTES = (review_page,)
