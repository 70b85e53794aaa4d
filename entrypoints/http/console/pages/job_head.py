"""The top of a job's pages: its status, the health of its reporting, its first signals, and what is wrong."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from urllib.parse import urlsplit

from litestar import Response, get
from litestar.params import FromQuery

from application.ports.views import Views
from application.projections.run import AttemptRecord
from application.queries.asked_attempt import attempt_of, chosen_attempt
from application.queries.delivery import delivery_receipt
from application.queries.live import StreamName, behind
from application.queries.moment import moment as iso
from application.queries.observation_contract import coverage
from application.queries.run import AttemptItem, Run, run
from domain.ids import DAY_MICROS, Attempt, Micros, RunId
from domain.rules.lifecycle import TERMINAL
from domain.rules.token_expiry import token_notice
from entrypoints.http.console.console import AsSignedIn, Console, Using, moment_of, user_of
from entrypoints.http.console.contexts.job import JobHead, JobHeadPart, Signal, Tab
from entrypoints.http.console.look import Look, Looking
from entrypoints.http.console.receipt_words import receipt_view
from entrypoints.http.console.rendering import rendered
from entrypoints.http.signed_in import SignedIn


def job_head(views: Views, console: Console, signed_in: SignedIn, look: Look, tab: Tab) -> JobHead:
    """Raises `UnknownRun`, and `UnknownThing` for an attempt that was never opened."""
    chosen_attempt(views, RunId(look.run_id), look.attempt)
    moment = moment_of(views, look)
    found = run(views, RunId(look.run_id), now=moment)
    latest = found.attempts[-1] if found.attempts else None
    shown = latest if look.attempt is None else next(one for one in found.attempts if one.attempt == look.attempt)
    record = None if found.attempt is None else attempt_of(views, found.run_id, found.attempt)
    return JobHead(
        run=found,
        look=look,
        tab=tab,
        position=views.position,
        as_of=None if look.as_of is None else iso(moment),
        warnings=list(_warnings(found, record, console.ingest_address, moment)),
        shown=shown,
        signals=[] if shown is None else _signals(shown, heard=_heard_since_opened(found, shown.opened_at)),
        coverage=coverage(views, found.run_id, attempt=look.attempt),
        receipt=None if shown is None else receipt_view(delivery_receipt(views, found.run_id, shown)),
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


def _warnings(found: Run, latest: AttemptRecord | None, address: str, moment: Micros) -> Iterator[str]:
    if is_loopback(address) and not (latest and _heard_since_opened(found, iso(latest.opened_at))):
        yield (
            f"Jobs are told to report to {address}, which only this machine reaches. For jobs on other nodes set "
            "TUNEPLANE_INGEST_URL to an address that they reach, and open a new execution."
        )
    for fault in found.faults:
        yield (
            f"The view {fault.projection} could not take in event {fault.position} ({fault.error}) and lacks it and "
            "everything behind it: what this page shows of it is incomplete. The log itself holds everything."
        )
    if latest is not None and latest.status not in TERMINAL:
        yield from _token_warnings(latest, moment)


def _heard_since_opened(found: Run, opened_at: str) -> bool:
    """Whether its job has found the way here, wherever it runs and whatever it reports: an import sends no log."""
    return found.last_event_at is not None and found.last_event_at >= opened_at


def _token_warnings(latest: AttemptRecord, moment: Micros) -> Iterator[str]:
    running_since = latest.opened_at if latest.started_at is None else latest.started_at
    notice = token_notice(running_since=running_since, expires_at=latest.token_expires_at, now=moment)
    if latest.token_revoked_at is not None:
        yield "The ingest token of this attempt was revoked: nothing more can be reported. Open a new execution."
    elif notice == "expired":
        yield "The ingest token of this attempt has expired: nothing more can be reported. Open a new execution."
    elif notice == "soon":
        yield (
            f"The ingest token of this attempt expires within {_days(latest.token_expires_at - moment)}, and the job "
            f"has run for {_days(moment - running_since)}; from then on nothing can be reported. "
            "TUNEPLANE_INGEST_TOKEN_DAYS must cover the longest job."
        )


def _days(micros: int) -> str:
    """Whole days, the last begun one included."""
    days = max(1, -(-micros // DAY_MICROS))
    return "a day" if days == 1 else f"{days} days"


def _signals(shown: AttemptItem, *, heard: bool) -> list[Signal]:
    """What is missing is explained by what came: where anything did, the way is good and the job may have no more."""
    way = "" if heard else "tuneplane doctor"
    return [
        Signal(name="Token opened", at=shown.opened_at, check="", help="token"),
        Signal(
            name="First log line",
            at=shown.first_log_at,
            check="Other reports came. An import sends no log; tuneplane run forwards one."
            if heard
            else "says whether the node reaches the ingest address. Is the command started by tuneplane run?",
            help="log",
            command=way,
        ),
        Signal(
            name="First point",
            at=shown.first_point_at,
            check="Other reports came. An evaluation may have no point; a training script calls log."
            if heard
            else "on the node. Does the script call log, in a process that has TUNEPLANE_JOB_* in its environment?",
            help="point",
            command=way,
        ),
        Signal(
            name="First heartbeat",
            at=shown.first_heartbeat_at,
            check="The client sends one every 15 s, an import none. Its absence is no proof that training stopped.",
            help="heartbeat",
        ),
    ]


ROUTES = (head_part,)
