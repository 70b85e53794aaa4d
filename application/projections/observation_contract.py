"""What each attempt declares of its observations."""

from __future__ import annotations

from typing import Any

import msgspec

from application.ports.event_log import RecordedEvent
from application.ports.records import Records, RecordTable
from application.projections.projection import Projection
from domain.events import Event, ObservationContractDeclared
from domain.ids import Attempt, Micros, RunId


class ContractRecord(msgspec.Struct, frozen=True, kw_only=True):
    run: RunId
    attempt: Attempt
    contract: dict[str, Any]
    """The latest, as sent."""
    declared_at: Micros
    versions: int
    """Different contracts declared."""


CONTRACT = RecordTable(name="contract", record=ContractRecord, key=("run", "attempt"))


def project(recorded: RecordedEvent, event: Event, records: Records) -> None:
    """Takes in one contract; the latest version replaces the one before."""
    match event:
        case ObservationContractDeclared(run=run, attempt=attempt, contract=contract):
            record = ContractRecord(
                run=run,
                attempt=attempt,
                contract=contract,
                declared_at=recorded.recorded_at,
                versions=recorded.version,
            )
            records.put(CONTRACT, record)
        case _:
            pass


OBSERVATION_CONTRACT_PROJECTION = Projection(
    name="observation_contract",
    version=1,
    reads=(ObservationContractDeclared,),
    tables=(CONTRACT,),
    project=project,
)
