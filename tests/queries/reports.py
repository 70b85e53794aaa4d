"""A log that jobs have reported to, and the views of it, all in memory."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from adapters.memory.event_log import MemoryEventLog
from adapters.memory.object_store import MemoryObjectStore
from adapters.memory.reading import MemoryReading
from application.event_log.settlement import as_candidate
from application.ports.event_log import Fate
from application.ports.views import Views
from application.projections.registry import PROJECTIONS
from domain import (
    artifact,
    benchmark,
    environment,
    hyperparameters,
    lifecycle,
    log,
    observation,
    outcome,
    population,
    protocol,
    run,
    sample,
    series,
    trajectory,
    validation_metric,
)
from domain import events as e
from domain.ids import Micros, Position, RunId
from domain.placement import Placement
from tests import factories as a
from tests.queries.points import Points

SECOND = 1_000_000

_PLACES: dict[type[e.Event], Callable[[Any], Placement]] = {
    e.ArtifactRegistered: artifact.register_artifact,
    e.BenchmarkScored: benchmark.score_benchmark,
    e.EnvironmentReported: environment.report_environment,
    e.ExecutionOpened: run.open_execution,
    e.HyperparametersReported: hyperparameters.report_hyperparameters,
    e.IngestTokenIssued: run.issue_token,
    e.IngestTokensRevoked: run.revoke_tokens,
    e.LogReported: log.report_unnumbered,
    e.NodesReported: environment.report_nodes,
    e.ObservationContractDeclared: observation.declare_contract,
    e.ObservationReported: observation.report_observation,
    e.OutcomeReported: outcome.report_outcome,
    e.PopulationDeclared: population.declare_population,
    e.ProtocolDeclared: protocol.declare_protocol,
    e.RunCreated: run.create_run,
    e.RunShared: run.share_run,
    e.SamplesReported: sample.report_samples,
    e.ShareWithdrawn: run.share_run,
    e.TrajectoryDeleted: trajectory.delete_trajectory,
    e.TrajectoryStored: trajectory.store_trajectory,
    e.ValidationMetricReported: validation_metric.report_validation_metric,
}


class Reports:
    """Each event is placed as its rule says, and comes in a second after the one before, from noon on."""

    def __init__(self) -> None:
        self._seconds = count(1)
        self._bodies = count(1)
        self.log = MemoryEventLog(clock=lambda: Micros(a.NOON + next(self._seconds) * SECOND))
        self.bodies = MemoryObjectStore()
        self.scalars, self.hardware = Points(), Points()
        self._reading = MemoryReading(
            self.log, PROJECTIONS, scalars=lambda: self.scalars, hardware=lambda: self.hardware
        )

    def of(self, *events: e.Event) -> list[Position]:
        """Reports the events one after the other; where each is, or where what stands against it is."""
        return [position for _, position in map(self.fate_of, events)]

    def fate_of(self, event: e.Event) -> tuple[Fate, Position]:
        (answer,) = self.log.append([[as_candidate(self._placed(event))]])
        assert isinstance(answer, tuple), answer
        return answer[0].fate, answer[0].position

    @property
    def now(self) -> Micros:
        """The time of the last event."""
        head = self.log.head().position
        return self.log.at([head])[0].recorded_at if head else a.NOON

    @property
    def views(self) -> Views:
        """Everything reported so far."""
        with self._reading.now() as views:
            return views

    def views_at(self, position: Position, run_id: RunId = a.RUN, *beside: RunId) -> Views:
        """One run, and others beside it, as they were."""
        with self._reading.at(run_id, position, *beside) as views:
            return views

    def _placed(self, event: e.Event) -> Placement:
        match event:
            case e.LifecycleReported():
                recorded = self.log.stream(lifecycle.lifecycle_stream(event.run, event.attempt))
                accepted = [e.decode(one.tag, one.payload or b"") for one in recorded]
                return lifecycle.report_lifecycle(accepted, event)  # type: ignore[arg-type]
            case e.MetricsReported() | e.HardwareSampled():
                return series.report_unnumbered(event, str(next(self._bodies)).encode())
            case e.SeriesOpened():
                known = {f"known/{number}": number for number in range(1, event.number)}
                return series.open_series(event.run, event.family, known, [event.key])[0]
        return _PLACES[type(event)](event)
