"""How each attempt was configured: its snapshots, later keys over earlier ones."""

from __future__ import annotations

from typing import Any

import msgspec

from application.ports.event_log import RecordedEvent
from application.ports.records import Records, RecordTable
from application.projections.projection import Projection
from domain.events import Event, HyperparametersReported
from domain.ids import Attempt, Micros, RunId


class HyperparametersRecord(msgspec.Struct, frozen=True, kw_only=True):
    run: RunId
    attempt: Attempt
    params: dict[str, Any]
    reported_at: Micros
    """Of the latest snapshot."""
    versions: int
    """Different snapshots reported."""


HYPERPARAMETERS = RecordTable(name="hyperparameters", record=HyperparametersRecord, key=("run", "attempt"))


def project(recorded: RecordedEvent, event: Event, records: Records) -> None:
    """Merges one snapshot over what is known."""
    match event:
        case HyperparametersReported(run=run, attempt=attempt, params=params):
            known = records.get(HYPERPARAMETERS, run, attempt)
            record = HyperparametersRecord(
                run=run,
                attempt=attempt,
                params={**known.params, **params} if known else params,
                reported_at=recorded.recorded_at,
                versions=recorded.version,
            )
            records.put(HYPERPARAMETERS, record)
        case _:
            pass


HYPERPARAMETERS_PROJECTION = Projection(
    name="hyperparameters", version=1, reads=(HyperparametersReported,), tables=(HYPERPARAMETERS,), project=project
)
