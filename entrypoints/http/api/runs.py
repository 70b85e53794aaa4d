"""Runs: made, opened, listed, read, shared."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Request, Response, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, SkipValidation

from application.clock import now
from application.commands.create_run import CreatedRun, CreateRun
from application.commands.open_execution import OpenedExecution, OpenExecution
from application.commands.revoke_tokens import RevokeTokens
from application.commands.share_run import ShareRun
from application.ports.accounts import Accounts
from application.ports.event_log import EventLog
from application.queries import run as queries
from application.queries.job_items import TableItem, table_items
from application.queries.job_table import Asked, JobTable
from application.queries.moment import moment as iso
from application.queries.page import Page
from application.queries.run_owner import owner_of
from application.queries.share import Share, shares_of
from domain.ids import Attempt, RunId
from entrypoints.http.api.moment import Cursor, Limit, Moment
from entrypoints.http.signed_in import SignedIn

AsSignedIn = Request[SignedIn, Any, Any]


class NewRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    run_id: str | None = None
    """`[A-Za-z0-9_.-]{1,128}`; made by the server where it is not given."""
    tags: list[str] = []
    recipe: str | None = None
    framework: str | None = None
    notes: str | None = None


class NewExecution(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    token_days: int | None = None
    """Life of the token; the installation's where it is not given."""


class Execution(msgspec.Struct, frozen=True, kw_only=True):
    run_id: str
    attempt: int
    token: str
    """Shown here only."""
    expires_at: str
    endpoint: str
    env: dict[str, str]
    """What a launcher puts into the job's environment."""
    position: int


class Done(msgspec.Struct, frozen=True):
    position: int
    """Read with `min_position` at least this to see it."""


class NewShare(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    days: int | None = None
    """Life of the link; None: until it is taken back."""
    name: str = ""
    """What it is for, to those who may take it back."""


class Link(msgspec.Struct, frozen=True):
    url: str
    """Opens the public page to anyone who has it; shown here only."""
    position: int
    share_id: str
    """Names the link without opening it."""


@post("/api/runs", sync_to_thread=True)
def create(request: AsSignedIn, data: JSONBody[NewRun], create_run: NamedDependency[CreateRun]) -> CreatedRun:
    """Makes a run; a taken id is 409."""
    request.user.require_member()
    return create_run(
        name=data.name,
        owner=request.user.account.name,
        run_id=data.run_id,
        tags=data.tags,
        recipe=data.recipe,
        framework=data.framework,
        notes=data.notes,
    )


@post("/api/runs/{run:str}/executions", sync_to_thread=True)
def open_execution(
    request: AsSignedIn,
    run: FromPath[str],
    data: JSONBody[NewExecution],
    opening: NamedDependency[OpenExecution],
    log: NamedDependency[SkipValidation[EventLog]],
) -> Execution:
    """Opens the next execution attempt, with an ingest token of its own."""
    _require_change(request, log, run)
    return _execution(opening(RunId(run), opened_by=request.user.account.name, token_days=data.token_days))


@post("/api/runs/{run:str}/executions/{attempt:int}/tokens", sync_to_thread=True)
def issue_token(
    request: AsSignedIn,
    run: FromPath[str],
    attempt: FromPath[int],
    data: JSONBody[NewExecution],
    opening: NamedDependency[OpenExecution],
    log: NamedDependency[SkipValidation[EventLog]],
) -> Execution:
    """A further ingest token for an attempt that is open already; those handed out before keep working."""
    _require_change(request, log, run)
    by = request.user.account.name
    return _execution(opening.again(RunId(run), Attempt(attempt), opened_by=by, token_days=data.token_days))


def _execution(made: OpenedExecution) -> Execution:
    return Execution(
        run_id=made.run_id,
        attempt=made.attempt,
        token=made.token,
        expires_at=iso(made.expires_at),
        endpoint=made.endpoint,
        env=made.env,
        position=made.position,
    )


@get("/api/runs", sync_to_thread=True)
def list_runs(
    moment: NamedDependency[Moment],
    job_table: NamedDependency[SkipValidation[JobTable]],
    asked: NamedDependency[SkipValidation[Asked]],
    limit: Limit = None,
    cursor: Cursor = None,
) -> Response[Page[TableItem]]:
    """Runs that meet every filter and condition, newest first or as sorted; what is unknown comes last.

    Sorting by a metric ranks nothing: runs whose comparison identities are absent or differ may not be compared.
    """
    with moment.all_views() as views:
        table = job_table.behind(views, asked, now=now(), cursor=cursor, limit=limit)
        return moment.answer(views, Page(items=table_items(table), next_cursor=table.next_cursor))


@get("/api/runs/{run:str}", sync_to_thread=True)
def read(run: FromPath[str], moment: NamedDependency[Moment]) -> Response[queries.Run]:
    """One run with its attempts, counts and the health of its reporting."""
    with moment.views(run) as views:
        return moment.answer(views, queries.run(views, RunId(run), now=moment.time(views)))


@delete("/api/runs/{run:str}/tokens", status_code=200, sync_to_thread=True)
def revoke(
    request: AsSignedIn,
    run: FromPath[str],
    revoke_tokens: NamedDependency[RevokeTokens],
    log: NamedDependency[SkipValidation[EventLog]],
) -> Done:
    """Revokes all ingest tokens of the run."""
    _require_change(request, log, run)
    return Done(revoke_tokens(RunId(run), revoked_by=request.user.account.name))


@post("/api/runs/{run:str}/share", sync_to_thread=True)
def share(
    request: AsSignedIn,
    run: FromPath[str],
    share_run: NamedDependency[ShareRun],
    public_address: NamedDependency[str],
    log: NamedDependency[SkipValidation[EventLog]],
    data: JSONBody[NewShare | None] = None,
) -> Link:
    """A link to a public read-only page: no trajectory bodies, no validation text. The body may be left out."""
    _require_change(request, log, run)
    asked = data or NewShare()
    shared = share_run.share(RunId(run), shared_by=request.user.account.name, name=asked.name, days=asked.days)
    return Link(f"{public_address}/s/{shared.token}", shared.position, shared.share_id)


@get("/api/runs/{run:str}/share", sync_to_thread=True)
def list_shares(
    request: AsSignedIn,
    run: FromPath[str],
    accounts: NamedDependency[SkipValidation[Accounts]],
    log: NamedDependency[SkipValidation[EventLog]],
) -> Page[Share]:
    """The run's shares, newest first, for those who may take them back. None of them can be opened by this."""
    _require_change(request, log, run)
    return Page(items=shares_of(accounts, RunId(run), now=now()), next_cursor=None)


@delete("/api/runs/{run:str}/share", status_code=200, sync_to_thread=True)
def withdraw_share(
    request: AsSignedIn,
    run: FromPath[str],
    share_run: NamedDependency[ShareRun],
    log: NamedDependency[SkipValidation[EventLog]],
    share_id: FromQuery[str | None] = None,
) -> Done:
    """Takes one link of the run back, or every one where no `share_id` is given."""
    _require_change(request, log, run)
    by = request.user.account.name
    if share_id is not None:
        return Done(share_run.withdraw_one(RunId(run), share_id, withdrawn_by=by))
    return Done(share_run.withdraw(RunId(run), withdrawn_by=by))


def _require_change(request: AsSignedIn, log: EventLog, run: str) -> None:
    """Only the owner or an administrator changes a run. Raises `UnknownRun`, `NotAllowed`."""
    request.user.require_change(owner_of(log, run))
