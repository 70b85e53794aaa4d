"""What an accepted report is answered with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from litestar import Response

from application.event_log.group_commit import Receipt
from application.ports.event_log import Fate, Placed
from domain.events import SeriesOpened
from domain.placement import Placement

POSITION_HEADER = "X-TunePlane-Position"
HEAD_HEADER = "X-TunePlane-Head"
_encoder = msgspec.json.Encoder()


class Answer(msgspec.Struct, frozen=True):
    """Counts of events, for metrics and hardware of points. Everything is stored when this is answered."""

    position: int
    """Of the last of them in the log; reads take it as `min_position`."""
    accepted: int
    duplicates: int
    set_aside: int
    """Reports that differ from what stands, which stays; they are on record."""


def of_events(placements: Sequence[Placement], receipt: Receipt) -> Answer:
    """Counts every reported event; series opened on the way are reported by nobody."""
    return _counted(
        receipt,
        (
            (placed, 1)
            for placement, placed in zip(placements, receipt.placed, strict=True)
            if not isinstance(placement.event, SeriesOpened)
        ),
    )


def of_all(receipt: Receipt) -> Answer:
    """Counts every event of the request."""
    return _counted(receipt, ((placed, 1) for placed in receipt.placed))


def of_points(points: int, receipt: Receipt) -> Answer:
    """Counts the points of the batch, which is the last event of its request."""
    return _counted(receipt, [(receipt.placed[-1], points)])


def response(answer: Answer, receipt: Receipt) -> Response[bytes]:
    """With the position and the chain's hash there, so that a client can keep what it was told."""
    headers = {POSITION_HEADER: str(receipt.position), HEAD_HEADER: receipt.hash.hex()}
    return Response(_encoder.encode(answer), media_type="application/json", status_code=200, headers=headers)


def _counted(receipt: Receipt, fates: Iterable[tuple[Placed, int]]) -> Answer:
    counts = dict.fromkeys(Fate, 0)
    for placed, count in fates:
        counts[placed.fate] += count
    return Answer(receipt.position, counts[Fate.ACCEPTED], counts[Fate.DUPLICATE], counts[Fate.SET_ASIDE])
