"""Proves that nothing in the log was altered since it was appended, bodies included."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from application.event_log.chain_check import ChainCheck, Checked
from application.ports.event_log import EventLog, Head
from domain.ids import Position

BATCH_EVENTS = 2_000
BATCH_BYTES = 16_000_000


def verify_log(
    log: EventLog,
    published: Iterable[Head] = (),
    progress: Callable[[Position, Position], None] = lambda _done, _all: None,
) -> Checked:
    """Checks everything up to the head there is now; what is appended meanwhile is left for another time.

    `published` are heads kept elsewhere (a log line, an object store, replies): an end that was cut off or
    a log that was rewritten as a whole shows only against them. `progress` gets the positions done and the last.
    """
    head = log.head()
    check = ChainCheck(published)
    position = Position(0)
    while events := log.read(position, limit=BATCH_EVENTS, max_bytes=BATCH_BYTES, until=head.position):
        if not check.feed(events):
            break
        position = events[-1].position
        progress(position, head.position)
    return check.end(head)
