"""The history of a run, event by event, and the whole log with its chain."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from tuneplane.contract import INT64_MAX

from application.ports.event_log import EventLog, RecordedEvent
from application.ports.views import Views
from application.queries.event_summary import summary
from application.queries.moment import moment
from application.queries.page import Page, cursor_of, page_size, parts_of
from application.queries.run import run_of
from application.series.columns import unpack
from domain.errors import Refused, UnknownThing
from domain.events import (
    EVENT_TYPES,
    Event,
    HardwareSampled,
    MetricsReported,
    ReportSetAside,
    SamplesReported,
    SeriesOpened,
    decode,
)
from domain.events.series import Columns, Family
from domain.ids import Position, RunId
from domain.series import series_stream

_KIND = "history"
_BYTES = 16_000_000
_AT_ONCE = 256
_TAGS = tuple(str(kind.__struct_config__.tag) for kind in EVENT_TYPES)
_ERASED = "Erased; the chain holds its digest"
_HOLD_TEXT = (SamplesReported,)


class HistoryItem(msgspec.Struct, frozen=True, kw_only=True):
    """One event of a run, in short."""

    position: int
    recorded_at: str
    """Server's clock; order is by position alone."""
    type: str
    """Stored name, as in `outcome-reported.v1`."""
    stream: str
    version: int
    digest: str
    """SHA-256 of the payload, hex."""
    hash: str
    """Chain hash at this position, hex."""
    summary: str


class HistoryEvent(HistoryItem, frozen=True, kw_only=True):
    """One event whole."""

    run_id: RunId
    body: dict[str, Any] | None
    """As stored, packed columns unpacked; None where it was erased."""
    holds_text: bool
    """Validation text is part of it: for who has the content permission alone."""


class LoggedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One event of the whole log, with what it takes to check its chain."""

    position: int
    recorded_at: str
    run_id: RunId
    type: str
    stream: str
    version: int
    digest: str
    hash: str
    payload: str | None
    """Base64 of what was stored; None where it was erased."""


def events(
    views: Views,
    run: RunId,
    *,
    after: int = 0,
    until: int | None = None,
    types: Sequence[str] = (),
    limit: int | None = None,
    cursor: str | None = None,
) -> Page[HistoryItem]:
    """The events of a run behind position `after`, up to and including `until`, in order.

    `types` are stored names with or without their version; none are all. A page of large events ends early. Raises
    `UnknownRun`, and `Refused` for a type that does not exist.
    """
    run_of(views, run)
    tags = _tags(types)
    size = page_size(limit)
    seen = parts_of(cursor, _KIND, tuple[int])[0] if cursor else 0
    start = Position(min(max(after, seen, 0), INT64_MAX))
    end = Position(views.position if until is None else max(min(until, views.position), 0))
    found = views.log.read(start, limit=size + 1, max_bytes=_BYTES, until=end, run=run, tags=tags)
    page = found[:size]
    more = bool(page) and (
        len(found) > size or bool(views.log.read(page[-1].position, limit=1, until=end, run=run, tags=tags))
    )
    items = [HistoryItem(**_fields(one, _decoded(one))) for one in page]
    return Page(items=items, next_cursor=cursor_of(_KIND, page[-1].position) if more else None)


def event(views: Views, run: RunId, position: int) -> HistoryEvent:
    """One event of a run whole. Raises `UnknownRun`, and `UnknownThing` where the run has no event there."""
    run_of(views, run)
    found = views.log.at([Position(position)]) if 0 < position <= views.position else []
    if not found or found[0].run != run:
        raise UnknownThing(f"This run has no event at position {position}.")
    recorded = found[0]
    said = _decoded(recorded)
    body = None if said is None else _body(views, said)
    return HistoryEvent(**_fields(recorded, said), run_id=run, body=body, holds_text=_holds_text(said))


def whole_log(log: EventLog) -> Iterator[LoggedEvent]:
    """Every event there is now, in order, in constant memory."""
    end, after = log.head().position, Position(0)
    while after < end and (some := log.read(after, limit=_AT_ONCE, until=end)):
        after = some[-1].position
        for one in some:
            yield _logged(one)


def _logged(recorded: RecordedEvent) -> LoggedEvent:
    return LoggedEvent(
        position=recorded.position,
        recorded_at=moment(recorded.recorded_at),
        run_id=recorded.run,
        type=recorded.tag,
        stream=str(recorded.stream),
        version=recorded.version,
        digest=recorded.digest.hex(),
        hash=recorded.hash.hex(),
        payload=None if recorded.payload is None else base64.b64encode(recorded.payload).decode(),
    )


def _tags(types: Sequence[str]) -> tuple[str, ...] | None:
    if not types:
        return None
    for one in types:
        if not any(tag == one or tag.partition(".")[0] == one for tag in _TAGS):
            raise Refused.at("type", f"is no type of event: {one[:64]!r}")
    return tuple(tag for tag in _TAGS if tag in types or tag.partition(".")[0] in types)


def _decoded(recorded: RecordedEvent) -> Event | None:
    return None if recorded.payload is None else decode(recorded.tag, recorded.payload)


def _fields(recorded: RecordedEvent, said: Event | None) -> dict[str, Any]:
    """The fields of a `HistoryItem`."""
    return {
        "position": recorded.position,
        "recorded_at": moment(recorded.recorded_at),
        "type": recorded.tag,
        "stream": str(recorded.stream),
        "version": recorded.version,
        "digest": recorded.digest.hex(),
        "hash": recorded.hash.hex(),
        "summary": _ERASED if said is None else summary(said),
    }


def _holds_text(said: Event | None) -> bool:
    if isinstance(said, ReportSetAside):
        return _holds_text(decode(said.reported_tag, said.reported))
    return isinstance(said, _HOLD_TEXT)


def _body(views: Views, said: Event) -> dict[str, Any]:
    body: dict[str, Any] = msgspec.to_builtins(said)
    match said:
        case ReportSetAside(reported_tag=tag, reported=reported):
            body["reported"] = _body(views, decode(tag, reported))
        case MetricsReported(columns=columns):
            body["columns"] = _series(columns, _keys(views, said.run, "scalar"))
        case HardwareSampled(columns=columns):
            body["columns"] = _series(columns, _keys(views, said.run, "hardware"))
        case _:
            pass
    return body


def _keys(views: Views, run: RunId, family: Family) -> dict[int, str]:
    """The run's series by number."""
    opened = (_decoded(one) for one in views.log.stream(series_stream(run, family)))
    return {one.number: one.key for one in opened if isinstance(one, SeriesOpened)}


def _series(columns: Columns, keys: dict[int, str]) -> list[dict[str, Any]]:
    """The points of each series as a reader can check them."""
    batch = unpack(columns)
    result: list[dict[str, Any]] = []
    start = 0
    for number, count in zip(batch.numbers.tolist(), batch.counts.tolist(), strict=True):
        these = slice(start, start + count)
        start += count
        result.append(
            {
                "number": number,
                "key": keys.get(number),
                "steps": batch.steps[these].tolist(),
                "times": batch.times[these].tolist(),
                "values": batch.values[these].tolist(),
            }
        )
    return result
