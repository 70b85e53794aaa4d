"""Each kind of report, how it is placed, and which of its fields are its identity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from domain.artifact import register_artifact
from domain.benchmark import score_benchmark
from domain.environment import report_environment, report_nodes
from domain.events import Event
from domain.hyperparameters import report_hyperparameters
from domain.lifecycle import report_lifecycle
from domain.log import report_numbered as report_numbered_log
from domain.log import report_unnumbered as report_unnumbered_log
from domain.observation import declare_contract, report_observation
from domain.outcome import report_outcome
from domain.placement import Placement
from domain.population import declare_population
from domain.protocol import declare_protocol
from domain.run import create_run, issue_token, open_execution, revoke_tokens, share_run
from domain.sample import report_samples
from domain.series import open_series, report_collected_scalar, report_numbered, report_unnumbered
from domain.trajectory import delete_trajectory, store_trajectory
from domain.validation_metric import report_validation_metric
from tests import factories as a

Place = Callable[[Any], Placement]


def opening(event: Any) -> Placement:
    """The series that this event opens, where the run has as many as its number needs."""
    known = {f"known/{number}": number for number in range(1, event.number)}
    return open_series(event.run, event.family, known, [event.key])[0]


PLACES: dict[str, tuple[Place, Event, str]] = {
    "run": (create_run, a.a_run(), "run"),
    "execution": (open_execution, a.an_execution(), "run attempt"),
    "further token": (issue_token, a.a_further_token(), "run attempt"),
    "revocation": (revoke_tokens, a.a_revocation(), "run"),
    "share": (share_run, a.a_share(), "run"),
    "lifecycle": (lambda event: report_lifecycle([], event), a.a_lifecycle(), "run attempt"),
    "metrics session": (lambda event: report_numbered(event, "nonce", 7), a.a_metrics_batch(), "run attempt"),
    "metrics body": (lambda event: report_unnumbered(event, b"digest"), a.a_metrics_batch(), "run attempt"),
    "hardware session": (lambda event: report_numbered(event, "nonce", 7), a.a_hardware_batch(), "run attempt"),
    "hardware body": (lambda event: report_unnumbered(event, b"digest"), a.a_hardware_batch(), "run attempt"),
    "log session": (lambda event: report_numbered_log(event, "nonce", 7), a.a_log(), "run attempt"),
    "log": (report_unnumbered_log, a.a_log(), "run attempt"),
    "series": (opening, a.a_series(), "run family number"),
    "collected scalar": (lambda event: report_collected_scalar(event, "o1"), a.a_metrics_batch(), "run attempt"),
    "hyperparameters": (report_hyperparameters, a.hyperparameters(), "run attempt"),
    "environment": (report_environment, a.an_environment(), "run attempt"),
    "nodes": (report_nodes, a.nodes("n1", "n2"), "run attempt"),
    "observation": (report_observation, a.an_observation(), "run attempt id"),
    "contract": (declare_contract, a.a_contract(), "run attempt"),
    "population": (declare_population, a.a_population(), "run attempt round_id"),
    "protocol": (declare_protocol, a.a_protocol(), "run attempt round_id"),
    "validation metric": (report_validation_metric, a.a_validation_metric(), "run attempt round_id key"),
    "outcome": (report_outcome, a.an_outcome(), "run attempt round_id trial_id trial_attempt"),
    "samples": (report_samples, a.samples(), "run attempt round_id chunk_index"),
    "trajectory": (store_trajectory, a.a_trajectory(), "run attempt trajectory_id"),
    "trajectory deletion": (delete_trajectory, a.a_trajectory_deletion(), "run attempt trajectory_id"),
    "artifact": (register_artifact, a.an_artifact(), "run attempt kind step path"),
    "benchmark score": (score_benchmark, a.a_benchmark_score(), "run attempt runner model benchmark metric"),
}
"""Name -> how it is placed, an example, and the fields that make its place."""
