"""Two evaluation rounds side by side."""

from __future__ import annotations

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromQuery

from application.queries.review_rounds import RoundComparison, review_rounds, side_of
from domain.rules.trial_transitions import Transition
from entrypoints.http.api.moment import Cursor, Limit, Moment


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
    with moment.all_views() as views:
        found = review_rounds(
            views,
            side_of(left, "left"),
            side_of(right, "right"),
            transition=transition,
            limit=limit,
            cursor=cursor,
        )
        return moment.answer(views, found)
