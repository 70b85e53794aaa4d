"""Where an event belongs in the log, and what it means when the place is taken.

An event's stream and version are its idempotency rule (DESIGN "Identity is the rule"). The log finds
out whether the place is taken; the rule that placed the event says what follows.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

import msgspec

from domain.events import Event
from domain.ids import StreamId


class Verdict(Enum):
    """What a taken place means for the event that came second."""

    DUPLICATE = "duplicate"
    """It says what stands already: nothing is recorded, the answer is the first one's."""
    SET_ASIDE = "set_aside"
    """It says something else: what stands stays, and the losing report is recorded once."""
    NEXT_VERSION = "next_version"
    """It is recorded as the next version of its stream."""
    TAKEN = "taken"
    """The request is refused with `IdentityTaken`."""
    MOVED_ON = "moved_on"
    """The request was decided on old state: `StreamMovedOn`."""


Settle = Callable[[Event, Event], Verdict]
"""(what stands, what came second) -> what follows."""


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """One event and its place."""

    event: Event
    stream: StreamId
    version: int | None
    """From 1. None is the next one of the stream, compared with its latest."""
    settle: Settle
