"""Two runs, or two evaluation rounds, side by side."""

from __future__ import annotations

from typing import Annotated, Literal

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromQuery, QueryParameter
from tuneplane.contract import METRIC_KEY_CHARS

from application.queries.review import Review, review
from application.queries.review_rounds import RoundComparison, review_rounds, side_of
from domain.ids import RunId
from domain.rules.trial_transitions import Transition
from entrypoints.http.api.moment import Cursor, Limit, Moment


@get("/api/review", sync_to_thread=True)
def compare_runs(
    moment: NamedDependency[Moment],
    left: FromQuery[str],
    right: FromQuery[str],
    q: Annotated[str, QueryParameter(max_length=METRIC_KEY_CHARS)] = "",
    only: FromQuery[Literal["all", "differing"]] = "all",
    limit: Limit = None,
    cursor: Cursor = None,
) -> Response[Review]:
    """Metrics with comparison-identity verdicts, benchmarks. It establishes no equivalence of protocols."""
    with moment.views(left, right) as views:
        time, differing = moment.time(views), only == "differing"
        found = review(views, RunId(left), RunId(right), now=time, q=q, differing=differing, limit=limit, cursor=cursor)
        return moment.answer(views, found)


@get("/api/review/rounds", sync_to_thread=True)
def compare_rounds(
    moment: NamedDependency[Moment],
    left: FromQuery[str],
    right: FromQuery[str],
    transition: FromQuery[Transition | None] = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Response[RoundComparison]:
    """`left` and `right` are `run:round`. What is found is observed, no statistical proof."""
    one, other = side_of(left, "left"), side_of(right, "right")
    with moment.views(one.run, other.run) as views:
        found = review_rounds(views, one, other, transition=transition, limit=limit, cursor=cursor)
        return moment.answer(views, found)
