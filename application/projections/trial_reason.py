"""Why trial attempts ended as they did, where their producer says it without a trajectory.

An ordinary observation called `trial.reason` says it; whatever else has that name is an observation and nothing more.
Of one trial attempt, the first that came stands, as with its outcome.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from tuneplane.contract import INT31_MAX, POLICY_CHARS, ROUND_ID_CHARS, TRIAL_ID_CHARS, TRIAL_REASON

from application.ports.event_log import RecordedEvent
from application.ports.records import Records, RecordTable
from application.projections.projection import Projection
from domain.events import Event, ObservationReported
from domain.ids import Attempt, Position, RoundId, RunId, TrialId


class TrialReasonRecord(msgspec.Struct, frozen=True, kw_only=True):
    run: RunId
    attempt: Attempt
    round_id: RoundId
    trial_id: TrialId
    trial_attempt: int
    reason: str
    position: Position


TRIAL_REASON_TABLE = RecordTable(
    name="trial_reason",
    record=TrialReasonRecord,
    key=("run", "attempt", "round_id", "trial_id", "trial_attempt"),
)


class _Said(msgspec.Struct, forbid_unknown_fields=True):
    """The values of a `trial.reason`, as `tuneplane.observations.trial_reason` writes them."""

    round_id: Annotated[str, msgspec.Meta(min_length=1, max_length=ROUND_ID_CHARS)]
    trial_id: Annotated[str, msgspec.Meta(min_length=1, max_length=TRIAL_ID_CHARS)]
    trial_attempt: Annotated[int, msgspec.Meta(ge=0, le=INT31_MAX)]
    reason: Annotated[str, msgspec.Meta(min_length=1, max_length=POLICY_CHARS)]


def project(recorded: RecordedEvent, event: Event, records: Records) -> None:
    """Takes in one observation, where it is a reason."""
    match event:
        case ObservationReported(name=name, kind="event") if name == TRIAL_REASON:
            _take(recorded, event, records)
        case _:
            pass


def _take(recorded: RecordedEvent, event: ObservationReported, records: Records) -> None:
    try:
        said = msgspec.convert(event.values, _Said)
    except msgspec.ValidationError:
        return
    place = (event.run, event.attempt, said.round_id, said.trial_id, said.trial_attempt)
    if records.get(TRIAL_REASON_TABLE, *place) is None:
        record = TrialReasonRecord(
            run=event.run,
            attempt=event.attempt,
            round_id=RoundId(said.round_id),
            trial_id=TrialId(said.trial_id),
            trial_attempt=said.trial_attempt,
            reason=said.reason,
            position=recorded.position,
        )
        records.put(TRIAL_REASON_TABLE, record)


TRIAL_REASON_PROJECTION = Projection(
    name="trial_reason", version=1, reads=(ObservationReported,), tables=(TRIAL_REASON_TABLE,), project=project
)
