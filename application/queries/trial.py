"""Trials of a round with their current outcomes, and every attempt of one trial."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from tuneplane.contract import trajectory_id

from application.ports.records import Where
from application.ports.views import Views
from application.projections.round import TRIAL, TRIAL_ATTEMPT, RoundRecord, TrialAttemptRecord, TrialRecord
from application.projections.trajectory import TRAJECTORY, TrajectoryRecord
from application.projections.trial_reason import TRIAL_REASON_TABLE
from application.queries.moment import moment
from application.queries.page import Page, keyset, page_size
from application.queries.round import round_of
from domain.errors import UnknownThing
from domain.events.outcome import OutcomeStatus
from domain.ids import RoundId, RunId, TrialId

ATTEMPTS_SHOWN = 100


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One trial with its current outcome."""

    trial_id: TrialId
    status: OutcomeStatus
    """Of the highest trial attempt."""
    trial_attempt: int
    """Which attempt that is, from 0."""
    attempts: int
    """Trial attempts reported."""
    training_eligible: bool
    """The producer's decision; it promotes nothing."""
    reported_at: str
    """When the current outcome came in, server's clock."""
    set_aside: int
    """Different outcomes, of any of its attempts, that lost to an earlier one."""
    trajectory_id: str | None
    """Of this trial attempt, kept or not; None where none was sent. Missing text is no failed trial."""
    termination: str | None
    """Why this trial attempt ended, as the trajectory's producer says; None where it did not."""
    reason: str | None
    """The same, as an observation `trial.reason` says; None where none did."""


class SetAside(msgspec.Struct, frozen=True, kw_only=True):
    """A different outcome for a trial attempt that had one already."""

    status: OutcomeStatus
    training_eligible: bool
    reported_at: str
    position: int


class TrialAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """What was first reported of one attempt of a trial, and what lost to it."""

    trial_attempt: int
    status: OutcomeStatus
    training_eligible: bool
    reported_at: str
    position: int
    set_aside: list[SetAside]
    trajectory_id: str | None
    """None where none was sent."""
    termination: str | None
    """Why it ended, as the trajectory's producer says; None where it did not."""
    reason: str | None
    """The same, as an observation `trial.reason` says; None where none did."""


class TrialFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which trials of a round are asked for. Applied before paging."""

    status: OutcomeStatus | None = None
    """Of the current outcome; None: any."""
    search: str = ""
    """In the trial's id, any case."""
    retried: bool = False
    """Those alone whose current outcome is of a retry."""
    set_aside: bool = False
    """Those alone of which a report was set aside."""


ALL = TrialFilter()


def trials(
    views: Views,
    run: RunId,
    round_id: RoundId,
    wanted: TrialFilter = ALL,
    *,
    attempt: int | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Page[Trial]:
    """Trials of a round by id; they move between filters as retries finish.

    Without an attempt, as the highest that reported the round. Raises `UnknownRun`, `UnknownThing` for an unknown
    attempt or round.
    """
    of_round = _of(round_of(views, run, round_id, attempt))
    where = *of_round, *_conditions(wanted)
    found, following = keyset(views.records, TRIAL, *where, size=page_size(limit), cursor=cursor)
    told = _told(views, of_round, [(one.trial_id, one.outcome.trial_attempt) for one in found])
    return Page(items=[_trial(one, told) for one in found], next_cursor=following)


def trial_count(views: Views, run: RunId, round_id: RoundId, wanted: TrialFilter, *, attempt: int | None = None) -> int:
    """How many trials of a round meet the filter. Raises as `trials`."""
    of_round = _of(round_of(views, run, round_id, attempt))
    return views.records.count(TRIAL, *of_round, *_conditions(wanted))


def trial_attempts(
    views: Views, run: RunId, round_id: RoundId, trial_id: TrialId, *, attempt: int | None = None
) -> Page[TrialAttempt]:
    """The highest 100 attempts of a trial, the highest first. Raises as `trials`, and for an unknown trial."""
    of_round = _of(round_of(views, run, round_id, attempt))
    of_trial = (*of_round, Where("trial_id", "=", trial_id))
    found = views.records.find(TRIAL_ATTEMPT, *of_trial, descending=True, limit=ATTEMPTS_SHOWN)
    if not found:
        raise UnknownThing(f"This round has no trial {trial_id!r}.")
    told = _told(views, of_round, [(trial_id, one.trial_attempt) for one in found])
    return Page(items=[_trial_attempt(one, told) for one in found])


def _of(known: RoundRecord) -> tuple[Where, Where, Where]:
    return Where("run", "=", known.run), Where("attempt", "=", known.attempt), Where("round_id", "=", known.round_id)


def _conditions(wanted: TrialFilter) -> Iterator[Where]:
    if wanted.status is not None:
        yield Where("status", "=", wanted.status)
    if wanted.search:
        yield Where("trial_id", "contains", wanted.search)
    if wanted.retried:
        yield Where("trial_attempt", ">", 0)
    if wanted.set_aside:
        yield Where("set_aside", ">", 0)


class _Told(msgspec.Struct, frozen=True):
    """What explains the outcomes of some trial attempts."""

    texts: Mapping[str, TrajectoryRecord]
    """The trajectories that this execution attempt sent of them, by their ids."""
    reasons: Mapping[tuple[str, int], str]
    """By trial and its attempt."""


def _told(views: Views, of_round: tuple[Where, Where, Where], executions: Sequence[tuple[TrialId, int]]) -> _Told:
    run, attempt, round_id = of_round
    ids = tuple(_trajectory_id(str(round_id.value), trial, number) for trial, number in executions)
    if not ids:
        return _Told({}, {})
    sent = views.records.find(TRAJECTORY, run, attempt, Where("trajectory_id", "in", ids))
    of_trials = Where("trial_id", "in", tuple({trial for trial, _ in executions}))
    of_attempts = Where("trial_attempt", "in", tuple({number for _, number in executions}))
    said = views.records.find(TRIAL_REASON_TABLE, *of_round, of_trials, of_attempts)
    return _Told(
        {one.trajectory_id: one for one in sent}, {(one.trial_id, one.trial_attempt): one.reason for one in said}
    )


def _trajectory_id(round_id: str, trial_id: str, trial_attempt: int) -> str:
    return trajectory_id("validation", round_id, trial_id, trial_attempt)


def _trial(record: TrialRecord, told: _Told) -> Trial:
    outcome = record.outcome
    trajectory = told.texts.get(_trajectory_id(record.round_id, record.trial_id, outcome.trial_attempt))
    return Trial(
        trial_id=record.trial_id,
        status=record.status,
        trial_attempt=outcome.trial_attempt,
        attempts=record.attempts,
        training_eligible=outcome.training_eligible,
        reported_at=moment(record.reported_at),
        set_aside=record.set_aside,
        trajectory_id=trajectory.trajectory_id if trajectory else None,
        termination=trajectory.stored.termination if trajectory else None,
        reason=told.reasons.get((record.trial_id, outcome.trial_attempt)),
    )


def _trial_attempt(record: TrialAttemptRecord, told: _Told) -> TrialAttempt:
    trajectory = told.texts.get(_trajectory_id(record.round_id, record.trial_id, record.trial_attempt))
    return TrialAttempt(
        trial_attempt=record.trial_attempt,
        status=record.status,
        training_eligible=record.training_eligible,
        reported_at=moment(record.reported_at),
        position=record.position,
        set_aside=[
            SetAside(
                status=one.status,
                training_eligible=one.training_eligible,
                reported_at=moment(one.reported_at),
                position=one.position,
            )
            for one in record.set_aside
        ],
        trajectory_id=trajectory.trajectory_id if trajectory else None,
        termination=trajectory.stored.termination if trajectory else None,
        reason=told.reasons.get((record.trial_id, record.trial_attempt)),
    )
