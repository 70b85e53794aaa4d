"""The receipt of an execution attempt: what its reporters say they sent, and what is stored of it."""

from __future__ import annotations

from typing import Literal

import msgspec
from tuneplane.contract import LOG_DELIVERY_HEALTH, TRANSPORT_HEALTH

from application.ports.records import Where
from application.ports.views import Views
from application.projections.transport import HEALTH
from application.queries.run import AttemptItem
from domain.ids import RunId
from domain.rules.delivery_receipt import Line, Said, Verdict, receipt_line, whole_verdict
from domain.rules.lifecycle import TERMINAL

What = Literal["points", "events", "log bytes"]


class ReceiptLine(Line, frozen=True, kw_only=True):
    """One kind of report."""

    what: What


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the delivery of one attempt."""

    attempt: int
    ended: bool
    """The attempt reported its end."""
    verdict: Verdict
    """The worst of the lines."""
    lines: list[ReceiptLine]
    """Of each kind that was sent, told or stored."""
    reporters: int
    """Processes that told of points and events; the forwarder of the log is another."""


def delivery_receipt(views: Views, run: RunId, attempt: AttemptItem) -> Receipt:
    """The receipt as it stands; it is complete once every reporter has said that it has finished."""
    transport = _latest(views, run, attempt, TRANSPORT_HEALTH)
    log = _latest(views, run, attempt, LOG_DELIVERY_HEALTH)
    ended = attempt.status in TERMINAL
    received = attempt.received
    points = receipt_line("points", transport, received.points + received.invalid_points, ended=ended)
    events = receipt_line("events", transport, received.events, ended=ended)
    log_bytes = receipt_line("bytes", log, received.log_bytes, ended=ended)
    named: list[tuple[What, Line | None]] = [("points", points), ("events", events), ("log bytes", log_bytes)]
    return Receipt(
        attempt=attempt.attempt,
        ended=ended,
        verdict=whole_verdict(line for _, line in named),
        lines=[ReceiptLine(what=what, **msgspec.structs.asdict(line)) for what, line in named if line is not None],
        reporters=len(transport),
    )


def _latest(views: Views, run: RunId, attempt: AttemptItem, name: str) -> list[Said]:
    """The latest words of each reporter."""
    where = (Where("run", "=", run), Where("attempt", "=", attempt.attempt), Where("name", "=", name))
    return [one.values for one in views.records.find(HEALTH, *where)]
