"""The latest health event of each reporter: no later event hides it."""

from __future__ import annotations

import msgspec

from application.ports.event_log import RecordedEvent
from application.ports.records import Records, RecordTable
from application.projections.key_text import key_text
from application.projections.projection import Projection
from domain.events import Event, ObservationReported
from domain.ids import Attempt, Micros, Position, RunId


class HealthRecord(msgspec.Struct, frozen=True, kw_only=True):
    run: RunId
    attempt: Attempt
    name: str
    """`transport`, `invalid_metrics`, or a name of the job's own."""
    stream: str
    """Which reporter: its `stream_id`, as a key; empty where it named none."""
    position: Position
    recorded_at: Micros
    """Server's clock: when it was heard."""
    values: dict[str, bool | int | float | str]


HEALTH = RecordTable(name="health", record=HealthRecord, key=("run", "attempt", "name", "stream"))


def project(recorded: RecordedEvent, event: Event, records: Records) -> None:
    """Takes in one health event."""
    match event:
        case ObservationReported(kind="health"):
            record = HealthRecord(
                run=event.run,
                attempt=event.attempt,
                name=event.name,
                stream=key_text(event.values.get("stream_id", "")),
                position=recorded.position,
                recorded_at=recorded.recorded_at,
                values=event.values,
            )
            records.put(HEALTH, record)
        case _:
            pass


TRANSPORT_PROJECTION = Projection(
    name="transport", version=1, reads=(ObservationReported,), tables=(HEALTH,), project=project
)
