"""What came to a run since a reader last looked, as messages of a live stream.

A cursor says how far the reader is, in the log's lines and in the run's events. From the same cursor and the same views
the same messages follow, so one answer serves all readers that are at one place. Source: API "live", RULINGS "Logs".
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import groupby
from typing import Literal, get_args

import msgspec

from application.ports.event_log import RecordedEvent
from application.ports.views import Views
from application.projections.log import STATE
from application.queries.asked_attempt import latest_attempt
from application.queries.log import lines
from application.queries.log_pieces import LogLine
from application.queries.page import cursor_of, parts_of
from domain.errors import Refused
from domain.events import (
    Event,
    ExecutionOpened,
    LifecycleReported,
    MetricsReported,
    ObservationContractDeclared,
    ObservationReported,
    OutcomeReported,
    PopulationDeclared,
    ProtocolDeclared,
    ReportSetAside,
    SamplesReported,
    ValidationMetricReported,
    decode,
)
from domain.ids import Attempt, Position, RunId

StreamName = Literal["logs", "metrics", "lifecycle", "validation", "observations"]
STREAMS: tuple[StreamName, ...] = get_args(StreamName)
_KIND = "live"
_LINES = 1000
_EVENTS = 64
_BYTES = 16_000_000
_READS: dict[StreamName, tuple[type[Event], ...]] = {
    "metrics": (MetricsReported,),
    "lifecycle": (ExecutionOpened, LifecycleReported),
    "validation": (
        OutcomeReported,
        PopulationDeclared,
        ProtocolDeclared,
        ReportSetAside,
        SamplesReported,
        ValidationMetricReported,
    ),
    "observations": (ObservationContractDeclared, ObservationReported),
}
_STREAM_OF_TAG: dict[str, StreamName] = {
    str(kind.__struct_config__.tag): name for name, kinds in _READS.items() for kind in kinds
}


class LogNews(msgspec.Struct, frozen=True):
    """Event `logs`: lines that are new, or have grown."""

    attempt: Attempt
    lines: list[LogLine]
    eof: bool


class PointsNews(msgspec.Struct, frozen=True):
    """Event `metrics`: how many points came; read the charts for them."""

    position: Position
    points: int


class LifecycleNews(msgspec.Struct, frozen=True):
    """Event `lifecycle`."""

    position: Position
    event: str
    """`opened` for a new execution attempt, else what the runner reported last."""


class RoundNews(msgspec.Struct, frozen=True):
    """Event `validation`: rounds that changed."""

    position: Position
    round_ids: list[str]


class ObservationNews(msgspec.Struct, frozen=True):
    """Event `observations`: which came, of `event`, `histogram`, `health` and `contract`."""

    position: Position
    kinds: list[str]


News = LogNews | PointsNews | LifecycleNews | RoundNews | ObservationNews


class Message(msgspec.Struct, frozen=True):
    """One event of the stream."""

    id: str
    """The cursor behind it: resuming there repeats nothing and skips nothing."""
    event: StreamName
    data: News


class Advance(msgspec.Struct, frozen=True):
    """What follows a cursor."""

    messages: tuple[Message, ...]
    cursor: str
    """Behind all of them, and behind what concerned other streams."""
    more: bool
    """There is more already."""
    ended: bool
    """The latest attempt's log has ended, and everything up to here was answered."""


class _Place(msgspec.Struct, frozen=True):
    position: Position
    """Events up to here were answered, or concern other streams."""
    attempt: Attempt
    """Whose log the reader is in."""
    log: str
    """Cursor in that log; empty at its start."""


def start(run: RunId) -> str:
    """The cursor before everything."""
    return _cursor(run, _Place(Position(0), Attempt(0), ""))


def behind(run: RunId, position: Position, attempt: Attempt | None, log: str = "") -> str:
    """The cursor behind what a page shows: events up to `position`, and the attempt's log up to its cursor `log`."""
    return _cursor(run, _Place(position, attempt or Attempt(0), log))


def advance(views: Views, run: RunId, streams: Collection[StreamName], cursor: str) -> Advance:
    """What came behind `cursor`, in bounded pieces. Raises `UnknownRun`, and `Refused` for a foreign cursor."""
    place = _place_of(run, cursor)
    latest = latest_attempt(views, run, None)
    messages: list[Message] = []
    more = False
    if "logs" in streams and latest is not None:
        place, more = _log_news(views, run, place, latest, messages)
    found = _events(views, run, streams, place.position)
    for name, group in groupby(found, key=_stream_of):
        events = list(group)
        place = msgspec.structs.replace(place, position=events[-1].position)
        messages.append(Message(_cursor(run, place), name, _NEWS[name](events)))
    if len(found) == _EVENTS:
        more = True
    else:
        place = msgspec.structs.replace(place, position=max(views.position, place.position))
    ended = not more and latest is not None and _log_ended(views, run, latest)
    return Advance(tuple(messages), _cursor(run, place), more, ended)


def _log_news(views: Views, run: RunId, place: _Place, latest: Attempt, messages: list[Message]) -> tuple[_Place, bool]:
    """Lines of the attempt that the reader is in, or the move to the next attempt when there is nothing left in it."""
    page = lines(views, run, attempt=place.attempt, cursor=place.log or None, limit=_LINES)
    place = msgspec.structs.replace(place, log=page.cursor)
    if page.lines:
        messages.append(Message(_cursor(run, place), "logs", LogNews(place.attempt, page.lines, page.eof)))
    if not page.lines and place.attempt < latest:
        return _Place(place.position, Attempt(place.attempt + 1), ""), True
    return place, len(page.lines) == _LINES or place.attempt < latest


def _log_ended(views: Views, run: RunId, attempt: Attempt) -> bool:
    state = views.records.get(STATE, run, attempt)
    return state is not None and state.eof


def _events(views: Views, run: RunId, streams: Collection[StreamName], after: Position) -> list[RecordedEvent]:
    tags = [tag for tag, name in _STREAM_OF_TAG.items() if name in streams]
    if not tags or after >= views.position:
        return []
    return views.log.read(after, until=views.position, run=run, tags=tags, limit=_EVENTS, max_bytes=_BYTES)


def _stream_of(recorded: RecordedEvent) -> StreamName:
    return _STREAM_OF_TAG[recorded.tag]


def _points_news(events: list[RecordedEvent]) -> PointsNews:
    found = [decode(one.tag, one.payload) for one in events if one.payload is not None]
    points = sum(one.points for one in found if isinstance(one, MetricsReported))
    return PointsNews(events[-1].position, points)


def _lifecycle_news(events: list[RecordedEvent]) -> LifecycleNews:
    """The last of them: it says how things stand."""
    last = events[-1]
    found = None if last.payload is None else decode(last.tag, last.payload)
    said = found.event if isinstance(found, LifecycleReported) else "opened"
    return LifecycleNews(last.position, said)


def _round_news(events: list[RecordedEvent]) -> RoundNews:
    found = (decode(one.tag, one.payload) for one in events if one.payload is not None)
    names = (getattr(one, "round_id", None) for one in found)
    return RoundNews(events[-1].position, list(dict.fromkeys(name for name in names if name is not None)))


def _observation_news(events: list[RecordedEvent]) -> ObservationNews:
    found = (decode(one.tag, one.payload) for one in events if one.payload is not None)
    kinds = (one.kind if isinstance(one, ObservationReported) else "contract" for one in found)
    return ObservationNews(events[-1].position, list(dict.fromkeys(kinds)))


def _cursor(run: RunId, place: _Place) -> str:
    return cursor_of(_KIND, run, place.position, place.attempt, place.log)


def _place_of(run: RunId, cursor: str) -> _Place:
    of, position, attempt, log = parts_of(cursor, _KIND, tuple[str, int, int, str])
    if of != run or min(position, attempt) < 0:
        raise Refused.at("cursor", "belongs to another run")
    return _Place(Position(position), Attempt(attempt), log)


_NEWS: dict[StreamName, Callable[[list[RecordedEvent]], News]] = {
    "metrics": _points_news,
    "lifecycle": _lifecycle_news,
    "validation": _round_news,
    "observations": _observation_news,
}
