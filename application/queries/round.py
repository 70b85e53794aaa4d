"""Evaluation rounds: what was planned, what was reported, and which rates that allows."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from tuneplane.contract import DIGEST_FIELDS

from application.ports.records import Where
from application.ports.views import Views
from application.projections.round import ROUND, ROUND_METRIC, ROUND_SHOWN, RoundRecord
from application.queries.asked_attempt import chosen_attempt
from application.queries.page import Page, keyset, page_size
from domain.errors import UnknownThing
from domain.ids import Attempt, RoundId, RunId
from domain.rules.scoring_coverage import PopulationState, not_reported, population_state, scoring_coverage
from domain.rules.success_rate import success_rate


class Protocol(msgspec.Struct, frozen=True, kw_only=True):
    """How the producer declares the round was made; nobody certifies it."""

    dataset_digest: str
    cohort_digest: str
    verifier_digest: str
    settings_digest: str
    split: str
    checkpoint: str


class RoundMetric(msgspec.Struct, frozen=True, kw_only=True):
    """An aggregate, as the producer computed it."""

    key: str
    value: float
    unit: str
    """`ratio`: from 0 to 1. `native`: as the metric has it."""


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """One round of one attempt. Counts are None where neither outcomes nor a population were reported."""

    round_id: RoundId
    attempt: Attempt
    expected: int | None
    """Trials planned; None where nobody said."""
    reported: int | None
    """Distinct trials, each in one of the four classes by its highest attempt."""
    success: int | None
    failure: int | None
    infra_error: int | None
    unscored: int | None
    not_reported: int | None
    """Planned trials nobody reported; None where the population is unknown or exceeded."""
    training_eligible: int | None
    retried: int | None
    """Trials whose current outcome is of a retry."""
    success_rate: float | None
    """success / (success + failure); None where nothing is scored."""
    scoring_coverage: float | None
    """(success + failure) / expected; None where the population is unknown, exceeded or 0."""
    population: PopulationState
    protocol: Protocol | None
    metrics: list[RoundMetric]
    set_aside: int
    """Reports about the round that lost to an earlier one."""


def rounds(
    views: Views, run: RunId, *, attempt: int | None = None, limit: int | None = None, cursor: str | None = None
) -> Page[Round]:
    """Rounds, the latest to begin first: of one attempt, else each as the highest attempt reported it.

    Raises `UnknownRun`, `UnknownThing` for an unknown attempt.
    """
    chosen = chosen_attempt(views, run, attempt)
    which = Where("shown", "=", value=True) if chosen is None else Where("attempt", "=", chosen)
    found, following = keyset(
        views.records,
        ROUND,
        Where("run", "=", run),
        which,
        order=("first_position",),
        descending=True,
        size=page_size(limit),
        cursor=cursor,
    )
    metrics = _metrics(views, run, found)
    items = [_round(one, metrics.get((one.attempt, one.round_id), [])) for one in found]
    return Page(items=items, next_cursor=following)


def round_(views: Views, run: RunId, round_id: RoundId, *, attempt: int | None = None) -> Round:
    """One round. Raises as `rounds`, and `UnknownThing` where nobody reported it."""
    return shown_round(views, round_of(views, run, round_id, attempt))


def shown_round(views: Views, record: RoundRecord) -> Round:
    """The round as it is answered."""
    metrics = _metrics(views, record.run, [record])
    return _round(record, metrics.get((record.attempt, record.round_id), []))


def round_of(views: Views, run: RunId, round_id: RoundId, attempt: int | None) -> RoundRecord:
    """What is recorded of a round, of the highest attempt that reported it unless one is asked for."""
    chosen = chosen_attempt(views, run, attempt)
    if chosen is None:
        shown = views.records.get(ROUND_SHOWN, run, round_id)
        chosen = None if shown is None else shown.attempt
    record = None if chosen is None else views.records.get(ROUND, run, chosen, round_id)
    if record is None:
        raise UnknownThing(f"This run has no round {round_id!r}.")
    return record


def protocol_groups(shown: Sequence[Round]) -> list[int | None]:
    """For each round, which of the protocols it declared, from 0: equal numbers stand for the same four digests.

    None where none was declared. Whether two rounds are matched, `matched_comparison` says by the same digests.
    """
    known: dict[tuple[str, ...], int] = {}
    declared = [one.protocol for one in shown]
    return [None if one is None else known.setdefault(_digests(one), len(known)) for one in declared]


def _digests(protocol: Protocol) -> tuple[str, ...]:
    return tuple(getattr(protocol, field) for field in DIGEST_FIELDS)


def _metrics(
    views: Views, run: RunId, records: Sequence[RoundRecord]
) -> dict[tuple[Attempt, RoundId], list[RoundMetric]]:
    result: dict[tuple[Attempt, RoundId], list[RoundMetric]] = {}
    names = tuple(record.round_id for record in records)
    attempts = tuple({record.attempt for record in records})
    if not records:
        return result
    where = (Where("run", "=", run), Where("attempt", "in", attempts), Where("round_id", "in", names))
    for one in views.records.find(ROUND_METRIC, *where):
        metric = RoundMetric(key=one.key, value=one.metric.value, unit=one.metric.unit)
        result.setdefault((one.attempt, one.round_id), []).append(metric)
    return result


def _round(record: RoundRecord, metrics: list[RoundMetric]) -> Round:
    counts = record.counts
    reported = counts.reported if counts else 0
    success, failure = (counts.success, counts.failure) if counts else (0, 0)
    return Round(
        round_id=record.round_id,
        attempt=record.attempt,
        expected=record.expected,
        reported=counts.reported if counts else None,
        success=counts.success if counts else None,
        failure=counts.failure if counts else None,
        infra_error=counts.infra_error if counts else None,
        unscored=counts.unscored if counts else None,
        not_reported=not_reported(record.expected, reported),
        training_eligible=counts.training_eligible if counts else None,
        retried=counts.retried if counts else None,
        success_rate=success_rate(success, failure),
        scoring_coverage=scoring_coverage(record.expected, reported, success, failure),
        population=population_state(record.expected, reported),
        protocol=_protocol(record),
        metrics=metrics,
        set_aside=record.set_aside,
    )


def _protocol(record: RoundRecord) -> Protocol | None:
    said = record.protocol
    if said is None:
        return None
    return Protocol(
        dataset_digest=said.dataset_digest,
        cohort_digest=said.cohort_digest,
        verifier_digest=said.verifier_digest,
        settings_digest=said.settings_digest,
        split=said.split,
        checkpoint=said.checkpoint,
    )
