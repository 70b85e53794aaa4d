"""Each event in a short sentence, for people who read a history. Bodies and texts are never part of it."""

from __future__ import annotations

from application.queries.moment import moment
from domain.events import (
    ArtifactRegistered,
    BenchmarkScored,
    EnvironmentReported,
    Event,
    ExecutionOpened,
    HardwareSampled,
    HyperparametersReported,
    IngestTokenIssued,
    IngestTokensRevoked,
    LifecycleReported,
    LogReported,
    MetricsReported,
    NodesReported,
    ObservationContractDeclared,
    ObservationReported,
    OutcomeReported,
    PopulationDeclared,
    ProtocolDeclared,
    ReportSetAside,
    RunCreated,
    RunShared,
    SamplesReported,
    SeriesOpened,
    ShareWithdrawn,
    TrajectoryDeleted,
    TrajectoryStored,
    ValidationMetricReported,
    decode,
)
from domain.ids import Micros

_CHARS = 200


def summary(event: Event) -> str:
    """What happened, in at most 200 characters."""
    said = _sentence(event)
    return said if len(said) <= _CHARS else said[: _CHARS - 1] + "…"


def _sentence(event: Event) -> str:
    match event:
        case (
            RunCreated()
            | ExecutionOpened()
            | IngestTokenIssued()
            | IngestTokensRevoked()
            | RunShared()
            | ShareWithdrawn()
        ):
            return _by_people(event)
        case (
            LifecycleReported()
            | LogReported()
            | ObservationReported()
            | MetricsReported()
            | HardwareSampled()
            | SeriesOpened()
        ):
            return _on_the_way(event)
        case OutcomeReported() | PopulationDeclared() | ProtocolDeclared() | ValidationMetricReported():
            return _evaluation(event)
        case SamplesReported() | TrajectoryStored() | TrajectoryDeleted() | ArtifactRegistered():
            return _kept(event)
        case ReportSetAside(reported_tag=tag, reported=reported):
            return f"Set aside, another report stands: {_sentence(decode(tag, reported))}"
        case _:
            return _document(event)


def _by_people(
    event: RunCreated | ExecutionOpened | IngestTokenIssued | IngestTokensRevoked | RunShared | ShareWithdrawn,
) -> str:
    match event:
        case RunCreated():
            return f"{event.owner} made the run {event.name!r}"
        case ExecutionOpened():
            return f"{event.opened_by} opened attempt {event.attempt}"
        case IngestTokenIssued():
            return f"{event.issued_by} took attempt {event.attempt} up again"
        case IngestTokensRevoked():
            return f"{event.revoked_by} revoked {_counted(len(event.token_ids), 'ingest token')}"
        case RunShared():
            name = f" as {event.name!r}" if event.name else ""
            return f"{event.shared_by} shared the run{name}{_until(event.expires_at)}"
        case ShareWithdrawn():
            return f"{event.withdrawn_by} took a share back"


def _evaluation(
    event: OutcomeReported | PopulationDeclared | ProtocolDeclared | ValidationMetricReported,
) -> str:
    match event:
        case OutcomeReported():
            which = f"Trial {event.trial_id!r}, trial attempt {event.trial_attempt}, of round {event.round_id!r}"
            status = event.status.replace("infra_error", "execution error")
            return f"{which}: {status}{', eligible for training' if event.training_eligible else ''}"
        case PopulationDeclared():
            return f"Round {event.round_id!r} has {_counted(event.expected, 'planned trial')}"
        case ProtocolDeclared():
            return f"Round {event.round_id!r} declares its protocol: split {event.split!r}, {event.checkpoint!r}"
        case ValidationMetricReported():
            return f"Round {event.round_id!r}: {event.key} is {event.value!r} ({event.unit})"


def _kept(event: SamplesReported | TrajectoryStored | TrajectoryDeleted | ArtifactRegistered) -> str:
    match event:
        case SamplesReported():
            chunk = f"chunk {event.chunk_index + 1} of {event.total_chunks}"
            return f"{_counted(len(event.samples), 'validation sample')} of round {event.round_id!r}, {chunk}"
        case TrajectoryStored():
            which = f"trial {event.trial_id!r}, trial attempt {event.trial_attempt}, of round {event.round_id!r}"
            return f"Kept {_counted(event.retained_messages, 'message')} of {event.total_messages:,}: {which}"
        case TrajectoryDeleted():
            return f"{event.deleted_by} deleted the text of a trajectory; the counts stay"
        case ArtifactRegistered():
            return f"Artifact ({event.kind}): {event.path}"


def _on_the_way(
    event: LifecycleReported | MetricsReported | HardwareSampled | SeriesOpened | LogReported | ObservationReported,
) -> str:
    match event:
        case ObservationReported():
            return f"Observed {event.name!r} ({event.kind})"
        case LifecycleReported():
            return f"Attempt {event.attempt} is {event.event}"
        case MetricsReported():
            invalid = f", {_counted(len(event.invalid), 'invalid point')}" if event.invalid else ""
            return f"{_counted(event.points, 'scalar point')}{invalid}"
        case HardwareSampled():
            return _counted(event.points, "hardware point")
        case SeriesOpened():
            return f"First report of the {event.family} series {event.key!r}, number {event.number}"
        case LogReported():
            size = sum(len(piece) for piece in event.pieces)
            return f"{_counted(size, 'character')} of log{', and its end' if event.eof else ''}"


def _document(event: Event) -> str:
    match event:
        case HyperparametersReported():
            return f"{_counted(len(event.params), 'hyperparameter')} of attempt {event.attempt}"
        case EnvironmentReported():
            return f"Environment of attempt {event.attempt}"
        case NodesReported():
            return f"Environment of {_counted(len(event.nodes), 'node')}"
        case ObservationContractDeclared():
            return f"Observation contract of attempt {event.attempt}"
        case BenchmarkScored():
            return f"{event.benchmark} {event.metric} of {event.model!r} is {event.value!r} ({event.runner})"
    return type(event).__name__


def _until(expires_at: Micros | None) -> str:
    return "" if expires_at is None else f" until {moment(expires_at)[:10]}"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
