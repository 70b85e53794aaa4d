"""The history of a run, event by event, and the whole log with its chain."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from tuneplane.contract import INT64_MAX

from application.ports.event_log import EventLog, RecordedEvent
from application.ports.views import Views
from application.queries.asked_attempt import run_of
from application.queries.event_body import event_body, holds_text
from application.queries.event_summary import summary
from application.queries.moment import moment
from application.queries.page import Page, cursor_of, page_size, parts_of
from domain.errors import Refused, UnknownThing
from domain.events import EVENT_TYPES, Event, decode
from domain.ids import Position, RunId

_KIND = "history"
_BYTES = 16_000_000
_AT_ONCE = 256
_TAGS = tuple(str(kind.__struct_config__.tag) for kind in EVENT_TYPES)
TYPES = tuple(sorted({tag.partition(".")[0] for tag in _TAGS}))
"""Names of what can happen, without versions."""
_ERASED = "Erased; the chain holds its digest"


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


def latest_events(
    views: Views, run: RunId, *, before: int | None = None, types: Sequence[str] = (), limit: int | None = None
) -> Page[HistoryItem]:
    """The last events of the run before position `before` (None: of all), the latest first; else as `events`.

    The cursor is the position to go on before.
    """
    run_of(views, run)
    tags, size = _tags(types), page_size(limit)
    end = Position(views.position + 1 if before is None else max(min(before, views.position + 1), 0))
    found = views.log.read_back(end, limit=size + 1, max_bytes=_BYTES, run=run, tags=tags)
    page = found[:size]
    more = bool(page) and (
        len(found) > size or bool(views.log.read_back(page[-1].position, limit=1, run=run, tags=tags))
    )
    items = [HistoryItem(**_fields(one, _decoded(one))) for one in page]
    return Page(items=items, next_cursor=str(page[-1].position) if more else None)


class Extent(msgspec.Struct, frozen=True, kw_only=True):
    """How far the history of a run reaches."""

    first: int
    """Position of its first event, in which it was made."""
    last: int
    """Position of its last event that counts."""
    last_at: str


def extent(views: Views, run: RunId) -> Extent:
    """Raises `UnknownRun`."""
    first = run_of(views, run).created_position
    last = views.log.read_back(Position(views.position + 1), limit=1, run=run)[0]
    return Extent(first=first, last=last.position, last_at=moment(last.recorded_at))


def event(views: Views, run: RunId, position: int) -> HistoryEvent:
    """One event of a run whole. Raises `UnknownRun`, and `UnknownThing` where the run has no event there."""
    run_of(views, run)
    found = views.log.at([Position(position)]) if 0 < position <= views.position else []
    if not found or found[0].run != run:
        raise UnknownThing(f"This run has no event at position {position}.")
    recorded = found[0]
    said = _decoded(recorded)
    body = None if said is None else event_body(views, said)
    return HistoryEvent(**_fields(recorded, said), run_id=run, body=body, holds_text=holds_text(said))


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
