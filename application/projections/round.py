"""Evaluation rounds: planned population, protocol, metrics, every trial's outcomes, and the counts of them.

Counts come from explicitly classified outcomes; a round without any, and without a declared population, has none.
"""

from __future__ import annotations

import msgspec

from application.ports.event_log import RecordedEvent
from application.ports.records import Records, RecordTable
from application.projections.projection import Projection
from domain.events import (
    Event,
    OutcomeReported,
    PopulationDeclared,
    ProtocolDeclared,
    ReportSetAside,
    SamplesReported,
    ValidationMetricReported,
    decode,
)
from domain.events.outcome import OutcomeStatus
from domain.ids import Attempt, Micros, Position, RoundId, RunId, TrialId
from domain.rules import latest_attempt_shows
from domain.rules.highest_attempt_wins import supersedes
from domain.rules.outcome_counts import OutcomeCounts

_RoundEvent = OutcomeReported | PopulationDeclared | ProtocolDeclared | SamplesReported | ValidationMetricReported


class RoundRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One round as one execution attempt reported it."""

    run: RunId
    attempt: Attempt
    round_id: RoundId
    first_position: Position
    """Of the first event about it."""
    shown: bool = True
    """Whether no later attempt reported the round."""
    expected: int | None = None
    """Trials planned; None where nobody said."""
    counts: OutcomeCounts | None = None
    """None where neither an outcome nor a population was reported: unknown, not zero."""
    protocol: ProtocolDeclared | None = None
    set_aside: int = 0
    """Reports about the round that lost to an earlier one."""


class RoundShownRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Which attempt's report of a round is shown."""

    run: RunId
    round_id: RoundId
    attempt: Attempt


class RoundMetricRecord(msgspec.Struct, frozen=True, kw_only=True):
    run: RunId
    attempt: Attempt
    round_id: RoundId
    key: str
    metric: ValidationMetricReported


class TrialRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One trial with its current outcome: that of its highest trial attempt."""

    run: RunId
    attempt: Attempt
    round_id: RoundId
    trial_id: TrialId
    status: OutcomeStatus
    trial_attempt: int
    """The outcome's, from 0."""
    outcome: OutcomeReported
    attempts: int
    """Trial attempts reported."""
    reported_at: Micros
    position: Position
    set_aside: int = 0
    """Outcomes that lost to an earlier one of the same trial attempt."""


class SetAsideOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """A different outcome for a trial attempt that already had one."""

    status: OutcomeStatus
    training_eligible: bool
    reported_at: Micros
    position: Position


class TrialAttemptRecord(msgspec.Struct, frozen=True, kw_only=True):
    run: RunId
    attempt: Attempt
    round_id: RoundId
    trial_id: TrialId
    trial_attempt: int
    status: OutcomeStatus
    training_eligible: bool
    reported_at: Micros
    position: Position
    set_aside: tuple[SetAsideOutcome, ...] = ()


ROUND = RecordTable(
    name="round",
    record=RoundRecord,
    key=("run", "attempt", "round_id"),
    columns=("first_position", "shown"),
    indexes=(("run", "shown", "first_position"), ("run", "attempt", "first_position")),
)
ROUND_SHOWN = RecordTable(name="round_shown", record=RoundShownRecord, key=("run", "round_id"))
ROUND_METRIC = RecordTable(name="round_metric", record=RoundMetricRecord, key=("run", "attempt", "round_id", "key"))
TRIAL = RecordTable(
    name="trial",
    record=TrialRecord,
    key=("run", "attempt", "round_id", "trial_id"),
    columns=("status", "trial_attempt", "set_aside"),
    indexes=(("run", "attempt", "round_id", "status"),),
)
TRIAL_ATTEMPT = RecordTable(
    name="trial_attempt",
    record=TrialAttemptRecord,
    key=("run", "attempt", "round_id", "trial_id", "trial_attempt"),
)


def project(recorded: RecordedEvent, event: Event, records: Records) -> None:
    """Takes in one event about a round."""
    match event:
        case OutcomeReported():
            _count(recorded, event, records)
        case PopulationDeclared(expected=expected):
            known = _round(recorded, event, records)
            _put(records, known, expected=expected, counts=known.counts or OutcomeCounts())
        case ProtocolDeclared():
            _put(records, _round(recorded, event, records), protocol=event)
        case ValidationMetricReported(run=run, attempt=attempt, round_id=round_id, key=key):
            _put(records, _round(recorded, event, records))
            metric = RoundMetricRecord(run=run, attempt=attempt, round_id=round_id, key=key, metric=event)
            records.put(ROUND_METRIC, metric)
        case SamplesReported():
            _put(records, _round(recorded, event, records))
        case ReportSetAside():
            _set_aside(recorded, event, records)
        case _:
            pass


def _count(recorded: RecordedEvent, event: OutcomeReported, records: Records) -> None:
    known = _round(recorded, event, records)
    place = (event.run, event.attempt, event.round_id, event.trial_id)
    trial = records.get(TRIAL, *place)
    records.put(TRIAL_ATTEMPT, _trial_attempt(recorded, event))
    counts = known.counts or OutcomeCounts()
    if supersedes(event, trial.outcome if trial else None):
        counts = counts.replaced(trial.outcome if trial else None, event)
        records.put(TRIAL, _trial(recorded, event, trial))
    elif trial is not None:
        records.put(TRIAL, msgspec.structs.replace(trial, attempts=trial.attempts + 1))
    _put(records, known, counts=counts)


def _set_aside(recorded: RecordedEvent, event: ReportSetAside, records: Records) -> None:
    lost = decode(event.reported_tag, event.reported)
    if not isinstance(lost, _RoundEvent):
        return
    known = _round(recorded, lost, records)
    _put(records, known, set_aside=known.set_aside + 1)
    if not isinstance(lost, OutcomeReported):
        return
    place = (lost.run, lost.attempt, lost.round_id, lost.trial_id, lost.trial_attempt)
    standing = records.get(TRIAL_ATTEMPT, *place)
    if standing is not None:
        losing = SetAsideOutcome(
            status=lost.status,
            training_eligible=lost.training_eligible,
            reported_at=recorded.recorded_at,
            position=recorded.position,
        )
        records.put(TRIAL_ATTEMPT, msgspec.structs.replace(standing, set_aside=(*standing.set_aside, losing)))
    trial = records.get(TRIAL, *place[:-1])
    if trial is not None:
        records.put(TRIAL, msgspec.structs.replace(trial, set_aside=trial.set_aside + 1))


def _round(recorded: RecordedEvent, event: _RoundEvent, records: Records) -> RoundRecord:
    """The round the event is about, new where it is the first."""
    known = records.get(ROUND, event.run, event.attempt, event.round_id)
    if known is not None:
        return known
    before = records.get(ROUND_SHOWN, event.run, event.round_id)
    shown = latest_attempt_shows.shows(event.attempt, before.attempt if before else None)
    if shown:
        if before is not None and (superseded := records.get(ROUND, event.run, before.attempt, event.round_id)):
            _put(records, superseded, shown=False)
        records.put(ROUND_SHOWN, RoundShownRecord(run=event.run, round_id=event.round_id, attempt=event.attempt))
    return RoundRecord(
        run=event.run,
        attempt=event.attempt,
        round_id=event.round_id,
        first_position=recorded.position,
        shown=shown,
    )


def _put(records: Records, known: RoundRecord, **changes: object) -> None:
    records.put(ROUND, msgspec.structs.replace(known, **changes))


def _trial(recorded: RecordedEvent, event: OutcomeReported, before: TrialRecord | None) -> TrialRecord:
    return TrialRecord(
        run=event.run,
        attempt=event.attempt,
        round_id=event.round_id,
        trial_id=event.trial_id,
        status=event.status,
        trial_attempt=event.trial_attempt,
        outcome=event,
        attempts=before.attempts + 1 if before else 1,
        reported_at=recorded.recorded_at,
        position=recorded.position,
        set_aside=before.set_aside if before else 0,
    )


def _trial_attempt(recorded: RecordedEvent, event: OutcomeReported) -> TrialAttemptRecord:
    return TrialAttemptRecord(
        run=event.run,
        attempt=event.attempt,
        round_id=event.round_id,
        trial_id=event.trial_id,
        trial_attempt=event.trial_attempt,
        status=event.status,
        training_eligible=event.training_eligible,
        reported_at=recorded.recorded_at,
        position=recorded.position,
    )


ROUND_PROJECTION = Projection(
    name="round",
    version=2,
    reads=(
        OutcomeReported,
        PopulationDeclared,
        ProtocolDeclared,
        ReportSetAside,
        SamplesReported,
        ValidationMetricReported,
    ),
    tables=(ROUND, ROUND_SHOWN, ROUND_METRIC, TRIAL, TRIAL_ATTEMPT),
    project=project,
)
