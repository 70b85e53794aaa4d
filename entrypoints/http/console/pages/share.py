"""`/s/{token}`: the public page of a shared run, and the charts on it. No text that the job kept, no way inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated

import msgspec
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, QueryParameter, SkipValidation
from tuneplane.contract import INT64_MAX

from application.clock import now
from application.credentials import presented
from application.ports.accounts import Accounts, Secret
from application.ports.views import Reading, Views
from application.queries.moment import moment as iso
from application.queries.moment import moment_or_none
from application.queries.public_run import public_rounds, public_run, public_series
from application.queries.series import series_data
from domain.ids import RunId
from entrypoints.http.console.contexts.share import SharePage
from entrypoints.http.console.pages.rounds import round_view
from entrypoints.http.console.rendering import rendered
from entrypoints.http.errors import NothingHere

PUBLIC_HEADERS: Mapping[str, str] = {
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow",
    "Cache-Control": "no-store",
}
_ROUNDS = 100
_SERIES = 1_000
_BUCKETS = 1_000


class Shares:
    """Runs that are open to whoever holds a link."""

    def __init__(self, accounts: Accounts, reading: Reading) -> None:
        self._accounts = accounts
        self._reading = reading

    @contextmanager
    def opened(self, token: str) -> Iterator[tuple[Secret, Views]]:
        """What is kept of the link. Raises `NothingHere` for one that is unknown, has expired or was taken back."""
        shown = presented(token, "shr")
        kept = None if shown is None else self._accounts.find_secret(shown.id)
        if shown is None or kept is None or kept.kind != "share" or not shown.proves(kept.secret_hash):
            raise NothingHere
        if kept.is_over(now()):
            raise NothingHere
        with self._reading.now() as views:
            yield kept, views


Using = NamedDependency[SkipValidation[Shares]]


@get("/s/{token:str}", include_in_schema=False, sync_to_thread=True)
def share(token: FromPath[str], shares: Using) -> Response[bytes]:
    """The page."""
    with shares.opened(token) as (kept, views):
        run_id, moment = RunId(kept.subject), now()
        shown = public_run(views, run_id, now=moment)
        page = SharePage(
            title=shown.name,
            run=shown,
            rounds=[round_view(one) for one in public_rounds(views, run_id, now=moment, limit=_ROUNDS)],
            series=public_series(views, run_id, now=moment, limit=_SERIES).items,
            read_at=iso(moment),
            expires_at=moment_or_none(kept.expires_at),
            series_address=f"/s/{token}/series",
            data_address=f"/s/{token}/series/data",
        )
    return rendered(page, headers=PUBLIC_HEADERS)


@get("/s/{token:str}/series", include_in_schema=False, sync_to_thread=True)
def share_series(token: FromPath[str], shares: Using, cursor: FromQuery[str] = "") -> Response[bytes]:
    """The series in numbers, as JSON."""
    with shares.opened(token) as (kept, views):
        return _json(public_series(views, RunId(kept.subject), now=now(), limit=_SERIES, cursor=cursor or None))


@get("/s/{token:str}/series/data", include_in_schema=False, sync_to_thread=True)
def share_data(
    token: FromPath[str],
    shares: Using,
    keys: Annotated[list[str], QueryParameter(name="key", max_items=32)],
    first_step: Annotated[int | None, QueryParameter(name="from", le=INT64_MAX)] = None,
    last_step: Annotated[int | None, QueryParameter(name="to", le=INT64_MAX)] = None,
) -> Response[bytes]:
    """Charts of up to 32 series, as JSON; unknown ones are left out. Raises `NothingHere` where all are unknown."""
    with shares.opened(token) as (kept, views):
        run_id = RunId(kept.subject)
        found = series_data(views, run_id, keys, buckets=_BUCKETS, first_step=first_step, last_step=last_step)
        if not found:
            raise NothingHere
        return _json(found)


def _json(found: object) -> Response[bytes]:
    return Response(msgspec.json.encode(found), media_type="application/json", headers=dict(PUBLIC_HEADERS))


ROUTES = (share, share_series, share_data)
