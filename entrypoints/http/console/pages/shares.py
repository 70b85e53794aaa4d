"""`/shares`: the shares that are kept, of one's own jobs; of all jobs for administrators."""

from __future__ import annotations

from typing import Annotated

import msgspec
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromQuery, SkipValidation, URLEncodedBody

from application.clock import now
from application.commands.share_run import ShareRun
from application.ports.accounts import Accounts
from application.ports.event_log import EventLog
from application.queries.run import RunItem, run_item
from application.queries.run_owner import owner_of
from application.queries.share import shares
from domain.errors import Refused
from domain.ids import RunId
from entrypoints.http.console.addresses import address_of
from entrypoints.http.console.console import FORM_BYTES, AsSignedIn, Console, Using, go, require_csrf, user_of
from entrypoints.http.console.contexts.shares import SharedJob, SharesPage
from entrypoints.http.console.look import Look
from entrypoints.http.console.pages.account import days_of
from entrypoints.http.console.rendering import rendered

_SHOWN = 200
_SAID = {"withdrawn": "The share was taken back: its link opens nothing any more."}
Text = Annotated[str, msgspec.Meta(max_length=1_024)]
UsingAccounts = NamedDependency[SkipValidation[Accounts]]
UsingLog = NamedDependency[SkipValidation[EventLog]]
Sharing = NamedDependency[ShareRun]


class NewShare(msgspec.Struct, frozen=True):
    csrf: str = ""
    run_id: Text = ""
    name: Text = ""
    days: Text = ""
    """Empty: until it is taken back."""


class Withdrawal(msgspec.Struct, frozen=True):
    csrf: str = ""
    run_id: Text = ""
    share_id: Text = ""


@get("/shares", include_in_schema=False, sync_to_thread=True)
def list_shares(
    request: AsSignedIn,
    console: Using,
    accounts: UsingAccounts,
    run_id: FromQuery[str] = "",
    said: FromQuery[str] = "",
) -> Response[bytes]:
    """Newest first; of one job where it is given."""
    return _page(request, console, accounts, run_id, said=_SAID.get(said, ""))


@post("/shares", include_in_schema=False, sync_to_thread=True, request_max_body_size=FORM_BYTES)
def make_share(
    request: AsSignedIn,
    data: URLEncodedBody[NewShare],
    console: Using,
    accounts: UsingAccounts,
    share_run: Sharing,
    log: UsingLog,
) -> Response[bytes]:
    """The answer shows the link, and nothing shows it again."""
    require_csrf(request, data.csrf)
    request.user.require_change(owner_of(log, data.run_id))
    by = request.user.account.name
    try:
        made = share_run.share(RunId(data.run_id), shared_by=by, name=data.name.strip(), days=days_of(data.days))
    except Refused as refusal:
        return _page(request, console, accounts, data.run_id, problem=refusal.detail, status=422)
    return _page(request, console, accounts, data.run_id, new_url=f"{console.ingest_address}/s/{made.token}")


@post("/shares/withdraw", include_in_schema=False, sync_to_thread=True, request_max_body_size=FORM_BYTES)
def withdraw_share(
    request: AsSignedIn, data: URLEncodedBody[Withdrawal], share_run: Sharing, log: UsingLog
) -> Response[bytes]:
    """One link; the job's others stay."""
    require_csrf(request, data.csrf)
    request.user.require_change(owner_of(log, data.run_id))
    share_run.withdraw_one(RunId(data.run_id), data.share_id, withdrawn_by=request.user.account.name)
    return go(address_of("/shares", {"run_id": data.run_id, "said": "withdrawn"}))


def _page(
    request: AsSignedIn,
    console: Console,
    accounts: Accounts,
    run_id: str,
    *,
    new_url: str | None = None,
    said: str = "",
    problem: str = "",
    status: int = 200,
) -> Response[bytes]:
    me = request.user.account
    everybody = me.role == "admin"
    with console.views(Look(run_id=run_id)) if run_id else console.reading.now() as views:
        chosen = run_item(views, RunId(run_id), now=now()) if run_id else None
        found = shares(
            views,
            accounts,
            owner=None if everybody else me.name,
            run=RunId(run_id) if run_id else None,
            now=now(),
        )
    page = SharesPage(
        title="Shares",
        user=user_of(request),
        shares=found[:_SHOWN],
        count=len(found),
        job=None if chosen is None else _shared_job(request, chosen),
        everybody=everybody,
        new_url=new_url,
        said=said,
        problem=problem,
    )
    return rendered(page, status=status)


def _shared_job(request: AsSignedIn, chosen: RunItem) -> SharedJob:
    may_change = request.user.may_change(chosen.owner)
    return SharedJob(run_id=chosen.run_id, name=chosen.name, may_change=may_change)


ROUTES = (list_shares, make_share, withdraw_share)
