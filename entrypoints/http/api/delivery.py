"""Whether all that an attempt's reporters sent is stored."""

from __future__ import annotations

import msgspec
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from application.queries.asked_attempt import chosen_attempt
from application.queries.delivery import Receipt, delivery_receipt
from application.queries.run import run as run_of
from domain.ids import RunId
from entrypoints.http.api.moment import Moment, OfAttempt


class Receipts(msgspec.Struct, frozen=True, kw_only=True):
    """A receipt for each execution attempt."""

    items: list[Receipt]
    """From the first attempt on; of one alone where it was asked for."""


@get("/api/runs/{run:str}/delivery", sync_to_thread=True)
def list_receipts(run: FromPath[str], moment: NamedDependency[Moment], attempt: OfAttempt = None) -> Response[Receipts]:
    """What each attempt's reporters say the server answered, beside what is stored; null is unknown, not zero."""
    with moment.views(run) as views:
        chosen_attempt(views, RunId(run), attempt)
        found = run_of(views, RunId(run), now=moment.time(views))
        wanted = [one for one in found.attempts if attempt is None or one.attempt == attempt]
        return moment.answer(views, Receipts(items=[delivery_receipt(views, found.run_id, one) for one in wanted]))
