"""The top of a job's pages: its status, the health of its reporting, its first signals, and what is wrong."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from datetime import datetime
from urllib.parse import urlsplit

from litestar import Response, get
from litestar.params import FromQuery

from application.ports.views import Views
from application.queries.live import StreamName, behind
from application.queries.moment import moment as iso
from application.queries.run import AttemptItem, Run, chosen_attempt, run
from domain.ids import DAY_MICROS, Attempt, Micros, RunId
from entrypoints.http.console.console import AsSignedIn, Console, Using, moment_of, user_of
from entrypoints.http.console.contexts.job import JobHead, JobHeadPart, Signal, Tab
from entrypoints.http.console.look import Look, Looking
from entrypoints.http.console.pages.jobs import is_silent
from entrypoints.http.console.rendering import rendered
from entrypoints.http.signed_in import SignedIn

EXPIRY_NOTICE_MICROS = DAY_MICROS
"""A token that ends within a day, under a job that runs, is warned of."""


def job_head(views: Views, console: Console, signed_in: SignedIn, look: Look, tab: Tab) -> JobHead:
    """Raises `UnknownRun`, and `UnknownThing` for an attempt that was never opened."""
    chosen_attempt(views, RunId(look.run_id), look.attempt)
    moment = moment_of(views, look)
    found = run(views, RunId(look.run_id), now=moment)
    latest = found.attempts[-1] if found.attempts else None
    return JobHead(
        run=found,
        look=look,
        tab=tab,
        position=views.position,
        as_of=None if look.as_of is None else iso(moment),
        silent_since=found.last_event_at if is_silent(found, moment) else None,
        warnings=list(_warnings(found, latest, console.ingest_address, moment)),
        signals=[] if latest is None else _signals(latest),
        may_change=signed_in.may_change(found.owner),
    )


def live_address(
    views: Views, head: JobHead, streams: tuple[StreamName, ...], *, attempt: Attempt | None, log: str = ""
) -> str:
    """The stream behind what these views hold; empty where the page shows the past."""
    if head.look.as_of is not None:
        return ""
    cursor = behind(head.run.run_id, views.position, attempt, log)
    return f"/api/runs/{head.run.run_id}/live?streams={','.join(streams)}&cursor={cursor}"


@get("/runs/{run_id:str}/head", include_in_schema=False, sync_to_thread=True)
def head_part(
    request: AsSignedIn,
    look: Looking,
    console: Using,
    tab: FromQuery[Tab] = "charts",
) -> Response[bytes]:
    """The head alone, to renew it."""
    with console.views(look) as views:
        head = job_head(views, console, request.user, look, tab)
    return rendered(JobHeadPart(title=head.run.name, user=user_of(request), head=head))


def is_loopback(address: str) -> bool:
    """Whether only this machine reaches the address."""
    host = urlsplit(address).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _warnings(found: Run, latest: AttemptItem | None, address: str, moment: Micros) -> Iterator[str]:
    if is_loopback(address) and not (latest and _heard_of(latest)):
        yield (
            f"Jobs are told to report to {address}, which only this machine reaches. For jobs on other nodes set "
            "TUNEPLANE_INGEST_URL to an address that they reach, and open a new execution."
        )
    for fault in found.faults:
        yield (
            f"The view {fault.projection} could not take in event {fault.position} ({fault.error}) and lacks it and "
            "everything behind it: what this page shows of it is incomplete. The log itself holds everything."
        )
    if latest is not None and found.status in {"created", "starting", "running"}:
        yield from _token_warnings(latest, moment)


def _heard_of(attempt: AttemptItem) -> bool:
    """Whether its job has found the way here, wherever it runs."""
    return any((attempt.first_log_at, attempt.first_point_at, attempt.first_heartbeat_at))


def _token_warnings(latest: AttemptItem, moment: Micros) -> Iterator[str]:
    left = datetime.fromisoformat(latest.token_expires_at).timestamp() * 1_000_000 - moment
    if latest.token_revoked_at is not None:
        yield "The ingest token of this attempt was revoked: nothing more can be reported. Open a new execution."
    elif left <= 0:
        yield "The ingest token of this attempt has expired: nothing more can be reported. Open a new execution."
    elif left < EXPIRY_NOTICE_MICROS:
        yield (
            "The ingest token of this attempt expires within a day; from then on nothing can be reported. "
            "TUNEPLANE_INGEST_TOKEN_DAYS must cover the longest job."
        )


def _signals(latest: AttemptItem) -> list[Signal]:
    return [
        Signal(name="Token opened", at=latest.opened_at, check="", help="token"),
        Signal(
            name="First log line",
            at=latest.first_log_at,
            check="Is the command started by tuneplane run, and does the node reach the ingest address?",
            help="log",
        ),
        Signal(
            name="First point",
            at=latest.first_point_at,
            check="Does the script call log, in a process that has TUNEPLANE_JOB_* in its environment?",
            help="point",
        ),
        Signal(
            name="First heartbeat",
            at=latest.first_heartbeat_at,
            check="The client sends one every 15 s. Its absence is no proof that training stopped.",
            help="heartbeat",
        ),
    ]


ROUTES = (head_part,)
