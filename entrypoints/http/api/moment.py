"""The moment a question is about: now, not before a position, or as of one; and the answer's headers."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Annotated, Any, TypeVar, cast

import msgspec
from litestar import Response
from litestar.params import QueryParameter
from tuneplane.contract import INT64_MAX

from application.ports.views import Reading, Views
from application.queries.moment import judged_at
from application.queries.page import MOST
from domain.ids import Micros, Position
from domain.run import named_run

BEHIND_HEADER = "X-TunePlane-Behind"
T = TypeVar("T")
_encoder = msgspec.json.Encoder()

MinPosition = Annotated[
    int,
    QueryParameter(name="min_position", ge=0, le=INT64_MAX, description="Wait (2 s at most) until views are so far."),
]
Cursor = Annotated[str | None, QueryParameter(name="cursor", description="`next_cursor` of the page before.")]
Limit = Annotated[
    int | None,
    QueryParameter(name="limit", ge=1, le=MOST, description="Items a page, 1 to 1,000; 50 if not given."),
]
OfAttempt = Annotated[
    int | None,
    QueryParameter(name="attempt", le=INT64_MAX, description="One execution attempt; else the surviving lineage."),
]
AsOf = Annotated[
    int | None,
    QueryParameter(name="as_of", ge=0, le=INT64_MAX, description="Answer as it was when this was the last position."),
]


class Moment:
    """Opens the views for one question."""

    def __init__(self, reading: Reading, min_position: int, as_of: int | None) -> None:
        self._reading = reading
        self.min_position = Position(min_position)
        self._as_of = as_of

    def views(self, run: str, *beside: str) -> AbstractContextManager[Views]:
        """The views of one run, and of others beside it. Raises `UnknownRun` for what cannot be a run's id."""
        named, *others = map(named_run, (run, *beside))
        if self._as_of is not None:
            return self._reading.at(named, Position(self._as_of), *others)
        return self._reading.now(self.min_position)

    def all_views(self) -> AbstractContextManager[Views]:
        """The views of all runs, as they are."""
        return self._reading.now(self.min_position)

    def time(self, views: Views) -> Micros:
        """By which silence and expiry are judged: now, or the time that the question is about."""
        return judged_at(views, past=self._as_of is not None)

    def answer(self, views: Views, found: T) -> Response[T]:
        """The JSON answer, saying how far behind it is where it had to come before `min_position`.

        Encoded here, in the handler's thread, so that the event loop does not have to.
        """
        body = _encoder.encode(found)
        return cast("Response[T]", Response(body, media_type="application/json", headers=self.headers(views)))

    def headers(self, views: Views) -> dict[str, str]:
        """Headers that every answer from views carries."""
        behind = 0 if self._as_of is not None else self.min_position - views.position
        headers = {"X-TunePlane-Position": str(views.position), "Cache-Control": "no-store"}
        return headers | {BEHIND_HEADER: str(behind)} if behind > 0 else headers


def provide_moment(reading: Reading) -> Any:  # noqa: ANN401 - Litestar takes any callable
    """The dependency `moment`: its parameters become the question's."""

    def moment(min_position: MinPosition = 0, as_of: AsOf = None) -> Moment:
        return Moment(reading, min_position, as_of)

    return moment
