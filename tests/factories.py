"""Events to tell stories with: every field has a sound value, a test names those that matter."""

from __future__ import annotations

from typing import Any

from domain.events import (
    ArtifactRegistered,
    BenchmarkScored,
    EnvironmentReported,
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
    RunCreated,
    RunShared,
    SamplesReported,
    SeriesOpened,
    ShareWithdrawn,
    TrajectoryDeleted,
    TrajectoryStored,
    ValidationMetricReported,
)
from domain.events.sample import Sample
from domain.events.series import Columns
from domain.ids import Attempt, Micros, RunId

RUN = RunId("run-1")
FIRST = Attempt(0)
NOON = Micros(1_767_225_600_000_000)
TS = "2026-01-01T00:00:00Z"
JOB: dict[str, Any] = {"run": RUN, "attempt": FIRST}


def a_run(**changes: Any) -> RunCreated:
    return RunCreated(**{"run": RUN, "name": "grpo on maths", "owner": "ada", **changes})


def an_execution(**changes: Any) -> ExecutionOpened:
    return ExecutionOpened(**{**JOB, "token_id": "t1", "expires_at": NOON, "opened_by": "ada", **changes})


def a_further_token(**changes: Any) -> IngestTokenIssued:
    return IngestTokenIssued(**{**JOB, "token_id": "t2", "expires_at": NOON, "issued_by": "ada", **changes})


def a_revocation(**changes: Any) -> IngestTokensRevoked:
    return IngestTokensRevoked(**{"run": RUN, "token_ids": ("t1",), "revoked_by": "ada", **changes})


def a_share(**changes: Any) -> RunShared:
    return RunShared(**{"run": RUN, "share_id": "s1", "shared_by": "ada", **changes})


def a_withdrawal(**changes: Any) -> ShareWithdrawn:
    return ShareWithdrawn(**{"run": RUN, "share_id": "s1", "withdrawn_by": "ada", **changes})


def a_lifecycle(event: str = "running", **changes: Any) -> LifecycleReported:
    return LifecycleReported(**{**JOB, "event": event, "ts": TS, **changes})


def columns(*, numbers: bytes = b"n", values: bytes = b"v") -> Columns:
    """Columns that nobody unpacks."""
    return Columns(numbers, b"c", b"s", b"t", values)


def a_metrics_batch(**changes: Any) -> MetricsReported:
    return MetricsReported(**{**JOB, "points": 1, "columns": columns(), **changes})


def a_hardware_batch(**changes: Any) -> HardwareSampled:
    return HardwareSampled(**{**JOB, "points": 1, "columns": columns(), **changes})


def a_series(number: int = 1, key: str = "loss", **changes: Any) -> SeriesOpened:
    return SeriesOpened(**{"run": RUN, "family": "scalar", "number": number, "key": key, **changes})


def a_log(*pieces: str, **changes: Any) -> LogReported:
    return LogReported(**{**JOB, "pieces": pieces or ("step 1\n",), **changes})


def hyperparameters(**changes: Any) -> HyperparametersReported:
    return HyperparametersReported(**{**JOB, "params": {"lr": 1e-5}, **changes})


def an_environment(**changes: Any) -> EnvironmentReported:
    return EnvironmentReported(**{**JOB, "overview": {"python": "3.11"}, **changes})


def nodes(*node_ids: str, **changes: Any) -> NodesReported:
    described = tuple({"node_id": one, "hostname": f"host-{one}"} for one in node_ids or ("n1",))
    return NodesReported(**{**JOB, "nodes": described, **changes})


def an_observation(**changes: Any) -> ObservationReported:
    given = {**JOB, "id": "e1", "kind": "event", "name": "agent/terminal", "ts": TS, "values": {"turns": 4}}
    return ObservationReported(**{**given, **changes})


def a_trial_reason(**changes: Any) -> ObservationReported:
    reason = {"round_id": "r1", "trial_id": "t1", "trial_attempt": 0, "reason": "no result.json"}
    reason |= {name: changes.pop(name) for name in reason if name in changes} | changes.pop("more", {})
    return an_observation(**{"id": "reason:1", "name": "trial.reason", "values": reason, **changes})


def a_contract(**changes: Any) -> ObservationContractDeclared:
    return ObservationContractDeclared(**{**JOB, "contract": {"version": 1}, **changes})


def a_population(expected: int = 5, **changes: Any) -> PopulationDeclared:
    return PopulationDeclared(**{**JOB, "round_id": "r1", "expected": expected, "ts": TS, **changes})


def a_protocol(**changes: Any) -> ProtocolDeclared:
    digests = {f"{name}_digest": name[0] * 64 for name in ("dataset", "cohort", "verifier", "settings")}
    return ProtocolDeclared(
        **{**JOB, "round_id": "r1", **digests, "split": "heldout", "checkpoint": "step-100", "ts": TS, **changes}
    )


def a_validation_metric(**changes: Any) -> ValidationMetricReported:
    given = {**JOB, "round_id": "r1", "key": "acc", "value": 0.5, "unit": "ratio", "ts": TS}
    return ValidationMetricReported(**{**given, **changes})


def an_outcome(**changes: Any) -> OutcomeReported:
    given = {**JOB, "round_id": "r1", "trial_id": "t1", "trial_attempt": 0, "status": "success"}
    return OutcomeReported(**{**given, "training_eligible": False, "ts": TS, **changes})


def samples(**changes: Any) -> SamplesReported:
    given = {**JOB, "round_id": "r1", "step": 1, "chunk_index": 0, "total_chunks": 2}
    return SamplesReported(**{**given, "samples": (Sample(0, "question", "answer"),), **changes})


def a_trajectory(**changes: Any) -> TrajectoryStored:
    given = {
        **JOB,
        "trajectory_id": "a" * 64,
        "scope": "validation",
        "round_id": "r1",
        "trial_id": "t1",
        "trial_attempt": 0,
        "total_messages": 2,
        "retained_messages": 2,
        "complete": True,
        "capture_policy": "all",
        "object_key": "trajectories/1",
        "body_digest": "d" * 64,
        "size_bytes": 100,
        "expires_at": NOON,
    }
    return TrajectoryStored(**{**given, **changes})


def a_trajectory_deletion(**changes: Any) -> TrajectoryDeleted:
    given = {**JOB, "trajectory_id": "a" * 64, "object_key": "trajectories/1", "deleted_by": "ada"}
    return TrajectoryDeleted(**{**given, **changes})


def an_artifact(**changes: Any) -> ArtifactRegistered:
    given = {**JOB, "kind": "checkpoint", "path": "s3://bucket/step_10", "format": "huggingface", "step": 10}
    return ArtifactRegistered(**{**given, **changes})


def a_benchmark_score(**changes: Any) -> BenchmarkScored:
    given = {**JOB, "runner": "lm-eval", "model": "m", "benchmark": "gsm8k", "metric": "exact_match"}
    return BenchmarkScored(**{**given, "value": 0.5, **changes})
