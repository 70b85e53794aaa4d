"""`logs`: pieces of what the job printed."""

from __future__ import annotations

from typing import Annotated

import msgspec
from tuneplane.contract import INT64_MAX, LOGS_BODY_BYTES, STREAM_PATTERN

from domain.errors import Refused
from domain.events import LogReported
from domain.log import report_numbered, report_unnumbered
from domain.placement import Placement
from entrypoints.http.ingest.body import Body, Report
from entrypoints.http.ingest.source import Source

Session = Annotated[str, msgspec.Meta(pattern=STREAM_PATTERN, description="Nonce fresh for each client process.")]
Sequence = Annotated[int, msgspec.Meta(ge=1, le=INT64_MAX, description="From 1 within the stream; gaps are legal.")]


def check_numbering(stream: object, sequence: object) -> None:
    """A batch is numbered by stream and sequence together, or not at all."""
    if (stream is None) != (sequence is None):
        missing = "sequence" if sequence is None else "stream"
        raise Refused.at(missing, "stream and sequence come together")


class Logs(Report, frozen=True, kw_only=True):
    """Pieces, not lines: a piece may end mid-line, hold progress bars, ANSI colours and any Unicode."""

    chunks: list[str]
    eof: bool = False
    """Nothing follows in this attempt."""
    stream: Session | None = None
    sequence: Sequence | None = None


BODY = Body(Logs, LOGS_BODY_BYTES)


def placements(report: Logs, source: Source) -> list[Placement]:
    """One event; numbered, sending it again changes nothing."""
    check_numbering(report.stream, report.sequence)
    event = LogReported(run=source.run, attempt=source.attempt, pieces=tuple(report.chunks), eof=report.eof)
    if report.stream is None or report.sequence is None:
        return [report_unnumbered(event)]
    return [report_numbered(event, report.stream, report.sequence)]
