"""What a run observed, in the order of the log."""

from __future__ import annotations

import msgspec

from application.ports.event_log import RecordedEvent
from application.ports.records import Records, RecordTable
from application.projections.projection import Projection
from domain.events import Event, ObservationReported
from domain.events.observation import ObservationKind
from domain.ids import Attempt, Micros, Position, RunId


class ObservationRecord(msgspec.Struct, frozen=True, kw_only=True):
    run: RunId
    position: Position
    attempt: Attempt
    kind: ObservationKind
    name: str
    recorded_at: Micros
    observation: ObservationReported


OBSERVATION = RecordTable(
    name="observation",
    record=ObservationRecord,
    key=("run", "position"),
    columns=("attempt", "kind", "name"),
    indexes=(("run", "name"), ("run", "kind"), ("run", "attempt")),
)


class ObservedNameRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A name that was observed: what coverage asks for, and what can be chosen from."""

    run: RunId
    attempt: Attempt
    name: str
    kinds: tuple[ObservationKind, ...]
    """In the order in which they came."""


NAME = RecordTable(name="name", record=ObservedNameRecord, key=("run", "attempt", "name"))


def project(recorded: RecordedEvent, event: Event, records: Records) -> None:
    """Takes in one observation."""
    match event:
        case ObservationReported(run=run, attempt=attempt, name=name):
            record = ObservationRecord(
                run=run,
                position=recorded.position,
                attempt=attempt,
                kind=event.kind,
                name=name,
                recorded_at=recorded.recorded_at,
                observation=event,
            )
            records.put(OBSERVATION, record)
            known = records.get(NAME, run, attempt, name)
            kinds = () if known is None else known.kinds
            if event.kind not in kinds:
                records.put(NAME, ObservedNameRecord(run=run, attempt=attempt, name=name, kinds=(*kinds, event.kind)))
        case _:
            pass


OBSERVATION_PROJECTION = Projection(
    name="observation", version=2, reads=(ObservationReported,), tables=(OBSERVATION, NAME), project=project
)
