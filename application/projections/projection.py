"""What a projection is: a name, a version, the events it reads, its tables, and a fold over one event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from application.ports.event_log import RecordedEvent
from application.ports.records import Records, RecordTable
from domain.events import Event

Project = Callable[[RecordedEvent, Event, Records], None]
"""(where it is in the log, the event, the view) -> the view has taken it in."""


class Projection(msgspec.Struct, frozen=True, kw_only=True):
    """A view of the log that can be dropped and rebuilt.

    `project` is a pure fold: what it writes depends on the events alone, one after the other in order.
    """

    name: str
    version: int
    """Raised when the fold or its tables change; each version lives in a schema of its own."""
    reads: tuple[type[Event], ...]
    tables: tuple[RecordTable[Any], ...]
    project: Project
