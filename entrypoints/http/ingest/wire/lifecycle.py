"""`lifecycle`: what the runner says of the execution attempt."""

from __future__ import annotations

from tuneplane.contract import SMALL_BODY_BYTES

from domain.events import LifecycleReported
from domain.events.lifecycle import LifecycleName
from entrypoints.http.ingest.body import Body, Report
from entrypoints.http.ingest.source import Source
from entrypoints.http.ingest.timestamps import checked


class Lifecycle(Report, frozen=True, kw_only=True):
    """Forward jumps are legal, a repeat is a duplicate, anything after a terminal event is set aside."""

    event: LifecycleName
    ts: str | None = None
    """ISO-8601 with an offset."""


BODY = Body(Lifecycle, SMALL_BODY_BYTES)


def event(report: Lifecycle, source: Source) -> LifecycleReported:
    """The fact that is reported."""
    return LifecycleReported(run=source.run, attempt=source.attempt, event=report.event, ts=checked("ts", report.ts))
