"""Results through a `Reporter`: observations in as few requests as the contract allows, and texts one by one.

A producer of bulk results reads, checks and sends; this is the sending. All of it may be sent again after it
broke off: the server knows each event by its identity and counts it once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Callable, Protocol

from tuneplane import contract
from tuneplane.observations import event_size
from tuneplane.reporter import ReporterError

_TAKEN = 409
_ENVELOPE_BYTES = 8 * 1024
"""Left for what surrounds the events of a request."""


class TakesObservations(Protocol):
    """What a `Reporter` is here."""

    def observations(self, payload: Mapping[str, Any]) -> bool: ...


class TakesResults(TakesObservations, Protocol):
    """The same, with text."""

    def trajectory(self, trace: Mapping[str, Any]) -> bool: ...


def send_text(reporter: TakesResults, trace: Mapping[str, Any]) -> bool:
    """Sends one trajectory; False where the server keeps another text of the same trial attempt: the first stands.

    Raises ReporterError where it is refused for anything else, or cannot be delivered.
    """
    try:
        reporter.trajectory(trace)
    except ReporterError as problem:
        if problem.status != _TAKEN:
            raise
        return False
    return True


def send_observations(
    reporter: TakesObservations,
    events: Iterable[Mapping[str, Any]],
    sent: Callable[[int], None] = lambda _: None,
) -> int:
    """Sends `events` in order; the number that was sent. `sent` is told the number so far after each request.

    At most 32 events a request (CONTRACT.md, `observations`). Raises ReporterError where a request is refused or
    cannot be delivered; what was sent before it stands.
    """
    count = 0
    for batch in batches(events):
        reporter.observations({"events": batch})
        count += len(batch)
        sent(count)
    return count


def batches(events: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    """The events in order, as many together as one request may carry."""
    batch: list[Mapping[str, Any]] = []
    size = 0
    for event in events:
        weight = event_size(event) + 1
        full = len(batch) == contract.EVENTS_PER_CALL
        if batch and (full or size + weight > contract.OBSERVATIONS_BODY_BYTES - _ENVELOPE_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(event)
        size += weight
    if batch:
        yield batch
