"""Reserved observations: the population, protocol, metrics and outcomes of an evaluation round."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Annotated, Literal, Protocol

import msgspec
from tuneplane.contract import (
    DIGEST_PATTERN,
    INT31_MAX,
    OUTCOME,
    POPULATION,
    PROTOCOL,
    PROTOCOL_TEXT_CHARS,
    ROUND_ID_CHARS,
    TRIAL_ID_CHARS,
    validation_event_id,
)

from domain.errors import Refused
from domain.events import OutcomeReported, PopulationDeclared, ProtocolDeclared, ValidationMetricReported
from domain.ids import RoundId, TrialId
from domain.outcome import report_outcome
from domain.placement import Placement
from domain.population import declare_population
from domain.protocol import declare_protocol
from domain.validation_metric import report_validation_metric
from entrypoints.http.ingest.guards import below, converted, finite, name
from entrypoints.http.ingest.source import Source

VALIDATION_KEY_CHARS = 128
Count31 = Annotated[int, msgspec.Meta(ge=0, le=INT31_MAX)]
Digest = Annotated[str, msgspec.Meta(pattern=DIGEST_PATTERN)]


class _Values(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    round_id: str


class Population(_Values, frozen=True, forbid_unknown_fields=True, kw_only=True):
    expected: Count31


class RoundProtocol(_Values, frozen=True, forbid_unknown_fields=True, kw_only=True):
    dataset_digest: Digest
    cohort_digest: Digest
    verifier_digest: Digest
    settings_digest: Digest
    split: str
    checkpoint: str


class ValidationMetric(_Values, frozen=True, forbid_unknown_fields=True, kw_only=True):
    key: str
    value: float
    unit: Literal["ratio", "native"]


class Outcome(_Values, frozen=True, forbid_unknown_fields=True, kw_only=True):
    trial_id: str
    trial_attempt: Count31
    status: Literal["success", "failure", "infra_error", "unscored"]
    training_eligible: bool


class ReservedEvent(Protocol):
    """What is needed of an observation event."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def ts(self) -> str: ...
    @property
    def values(self) -> Mapping[str, bool | int | float | str] | None: ...


def placement(path: str, kind: str, event: ReservedEvent, source: Source) -> Placement:
    """The fact that a reserved event states; its values are exactly the fields of that fact."""
    if kind != "event":
        raise Refused.at(f"{path}.kind", f"the name {event.name} is reserved for kind event")
    where, values = f"{path}.values", dict(event.values or {})
    if event.name == POPULATION:
        return _population(path, where, values, event, source)
    if event.name == PROTOCOL:
        return _protocol(path, where, values, event, source)
    if event.name == OUTCOME:
        return _outcome(path, where, values, event, source)
    return _metric(path, where, values, event, source)


Sent = dict[str, bool | int | float | str]


def _population(path: str, where: str, values: Sent, event: ReservedEvent, source: Source) -> Placement:
    said: Population = converted(where, values, Population)
    round_id = _round(path, where, event, said.round_id)
    fact = PopulationDeclared(
        run=source.run, attempt=source.attempt, round_id=round_id, expected=said.expected, ts=event.ts
    )
    return declare_population(fact)


def _protocol(path: str, where: str, values: Sent, event: ReservedEvent, source: Source) -> Placement:
    said: RoundProtocol = converted(where, values, RoundProtocol)
    round_id = _round(path, where, event, said.round_id)
    for field, text in (("split", said.split), ("checkpoint", said.checkpoint)):
        name(f"{where}.{field}", text, PROTOCOL_TEXT_CHARS)
        if not text.strip():
            raise Refused.at(f"{where}.{field}", "must not be blank")
    fact = ProtocolDeclared(
        run=source.run,
        attempt=source.attempt,
        round_id=round_id,
        dataset_digest=said.dataset_digest,
        cohort_digest=said.cohort_digest,
        verifier_digest=said.verifier_digest,
        settings_digest=said.settings_digest,
        split=said.split,
        checkpoint=said.checkpoint,
        ts=event.ts,
    )
    return declare_protocol(fact)


def _metric(path: str, where: str, values: Sent, event: ReservedEvent, source: Source) -> Placement:
    said: ValidationMetric = converted(where, values, ValidationMetric)
    name(f"{where}.key", said.key, VALIDATION_KEY_CHARS)
    round_id = _round(path, where, event, said.round_id, said.key)
    finite(f"{where}.value", said.value)
    if said.unit == "ratio" and not 0 <= said.value <= 1:
        raise Refused.at(f"{where}.value", "a ratio is between 0 and 1", 1)
    fact = ValidationMetricReported(
        run=source.run,
        attempt=source.attempt,
        round_id=round_id,
        key=said.key,
        value=said.value,
        unit=said.unit,
        ts=event.ts,
    )
    return report_validation_metric(fact)


def _outcome(path: str, where: str, values: Sent, event: ReservedEvent, source: Source) -> Placement:
    said: Outcome = converted(where, values, Outcome)
    name(f"{where}.trial_id", said.trial_id, TRIAL_ID_CHARS)
    round_id = _round(path, where, event, said.round_id, said.trial_id, said.trial_attempt)
    fact = OutcomeReported(
        run=source.run,
        attempt=source.attempt,
        round_id=round_id,
        trial_id=TrialId(said.trial_id),
        trial_attempt=said.trial_attempt,
        status=said.status,
        training_eligible=said.training_eligible,
        ts=event.ts,
    )
    try:
        return report_outcome(fact)
    except Refused as refusal:
        raise below(where, refusal) from None


def _round(path: str, where: str, event: ReservedEvent, round_id: str, *identity: object) -> RoundId:
    """The round, once the event's id is the one that its identity gives."""
    name(f"{where}.round_id", round_id, ROUND_ID_CHARS)
    expected = validation_event_id(event.name, round_id, *identity)
    if not hmac.compare_digest(event.id.encode(), expected.encode()):
        raise Refused.at(f"{path}.id", f"must be {expected}, as its values say")
    return RoundId(round_id)
