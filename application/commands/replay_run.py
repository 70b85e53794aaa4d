"""A run's history as lines for people: what was reported, in the order it was accepted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import msgspec

from application.ports.event_log import EventLog, RecordedEvent
from domain.events import decode
from domain.ids import Micros, Position, RunId

WIDEST_VALUE = 200
"""Characters of one field that are shown."""


def replay_run(log: EventLog, run: RunId, until: Position | None = None) -> Iterator[str]:
    """One line an event: position, time of receipt (UTC), type, and its fields; up to `until`, or all there is.

    Control characters come escaped, long values cut and marked with their length, bodies as their size.
    """
    position = Position(0)
    last = log.head().position if until is None else until
    while events := log.read(position, until=last, run=run):
        yield from map(_line, events)
        position = events[-1].position


def _line(event: RecordedEvent) -> str:
    return f"{event.position:>8}  {_time(event.recorded_at)}  {event.tag:<32}  {_said(event)}"


def _time(micros: Micros) -> str:
    return datetime.fromtimestamp(micros // 1_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%S") + f".{micros % 1_000_000:06}Z"


def _said(event: RecordedEvent) -> str:
    if event.payload is None:
        return f"(body erased; its SHA-256 was {event.digest.hex()})"
    fields = msgspec.structs.asdict(decode(event.tag, event.payload))
    return " ".join(f"{name}={_shown(value)}" for name, value in fields.items() if name != "run" and value is not None)


def _shown(value: object) -> str:
    text = ascii(_readable(msgspec.to_builtins(value, builtin_types=(bytes,))))
    return text if len(text) <= WIDEST_VALUE else f"{text[:WIDEST_VALUE]}…[{len(text):,} characters]"


def _readable(value: object) -> object:
    """The value with every body in it replaced by its size."""
    match value:
        case bytes():
            return f"<{len(value):,} bytes>"
        case list():
            return [_readable(one) for one in value]
        case dict():
            return {name: _readable(one) for name, one in value.items()}
        case _:
            return value
