"""`/review/trajectories`: two trajectories beside each other, of one job or of two, turned over together."""

from __future__ import annotations

from typing import Literal

import msgspec
from litestar import Response, get
from litestar.params import FromQuery

from application.queries.run import run
from domain.errors import Refused, TryAgain
from domain.ids import RunId
from entrypoints.http.console.addresses import address_of
from entrypoints.http.console.console import AsSignedIn, Console, Using, user_of
from entrypoints.http.console.contexts.trajectories import Reader, Side, TrajectoriesBesidePage
from entrypoints.http.console.look import look_of
from entrypoints.http.console.pages.trajectory_reading import Asked, page_number, reader_of, reader_without_text
from entrypoints.http.console.pages.trajectory_subject import state_now, subject_of
from entrypoints.http.console.rendering import rendered
from entrypoints.http.console.texts import Texts, UsingTexts


class _Pair(msgspec.Struct, frozen=True):
    """What the address says."""

    left: str
    right: str
    as_of: str

    def at(self, page: int) -> str:
        """Another page of the same two."""
        return self._address(self.left, self.right, page)

    def swapped(self, page: int) -> str:
        """The sides exchanged."""
        return self._address(self.right, self.left, page)

    def _address(self, left: str, right: str, page: int) -> str:
        given = {"left": left, "right": right, "as_of": self.as_of, "page": page}
        return address_of("/review/trajectories", given)


@get("/review/trajectories", include_in_schema=False, sync_to_thread=True)
def beside(
    request: AsSignedIn,
    console: Using,
    texts: UsingTexts,
    left: FromQuery[str] = "",
    right: FromQuery[str] = "",
    page: FromQuery[str] = "",
    as_of: FromQuery[str] = "",
) -> Response[bytes]:
    """`left` and `right` are `run:trajectory_id`; an empty one means that none was sent."""
    pair, number = _Pair(left, right, as_of), page_number(page)
    may_read = request.user.account.may("content")

    def side(name: Literal["left", "right"], given: str) -> Side:
        asked = Asked(page=number, may_read=may_read, prefix=f"{name}-", at=lambda one, _: pair.at(one))
        return _side(console, texts, name, given, as_of, asked)

    sides = [side("left", left), side("right", right)]
    pages = max((one.reader.text.pages for one in sides if one.reader), default=0)
    return rendered(
        TrajectoriesBesidePage(
            title="Two trajectories",
            user=user_of(request),
            sides=sides,
            page=number,
            pages=pages,
            previous=pair.at(min(number - 1, max(pages, 1))) if number > 1 else None,
            next=pair.at(number + 1) if number < pages else None,
            swapped=pair.swapped(number),
        )
    )


def _side(console: Console, texts: Texts, name: Literal["left", "right"], given: str, as_of: str, asked: Asked) -> Side:
    if not given:
        return Side(name=name, run_name="", reader=None)
    run_id, colon, trajectory_id = given.partition(":")
    if not colon or not trajectory_id:
        raise Refused.at(name, "must be the id of a run, a colon and the id of a trajectory, or empty")
    look = look_of(run_id, "", as_of)
    with console.views(look) as views:
        subject = subject_of(views, look, trajectory_id)
        run_name = run(views, RunId(run_id), now=subject.moment).name
    try:
        reader = reader_of(subject, texts, state_now(console, subject), asked)
    except TryAgain as fault:
        reader = reader_without_text(subject, asked, fault.detail)
    return Side(name=name, run_name=run_name, reader=_alone(reader))


def _alone(reader: Reader) -> Reader:
    """Other attempts are chosen where one is read alone."""
    return msgspec.structs.replace(reader, others=[])


ROUTES = (beside,)
