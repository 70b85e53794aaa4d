"""Every projection that is made of records, by name."""

from __future__ import annotations

from application.projections.artifact import ARTIFACT_PROJECTION
from application.projections.benchmark import BENCHMARK_PROJECTION
from application.projections.environment import ENVIRONMENT_PROJECTION
from application.projections.hardware import HARDWARE_PROJECTION
from application.projections.hyperparameters import HYPERPARAMETERS_PROJECTION
from application.projections.log import LOG_PROJECTION
from application.projections.observation import OBSERVATION_PROJECTION
from application.projections.observation_contract import OBSERVATION_CONTRACT_PROJECTION
from application.projections.projection import Projection
from application.projections.round import ROUND_PROJECTION
from application.projections.run import RUN_PROJECTION
from application.projections.sample import SAMPLE_PROJECTION
from application.projections.trajectory import TRAJECTORY_PROJECTION
from application.projections.transport import TRANSPORT_PROJECTION
from application.projections.trial_reason import TRIAL_REASON_PROJECTION

PROJECTIONS: tuple[Projection, ...] = (
    ARTIFACT_PROJECTION,
    BENCHMARK_PROJECTION,
    ENVIRONMENT_PROJECTION,
    HARDWARE_PROJECTION,
    HYPERPARAMETERS_PROJECTION,
    LOG_PROJECTION,
    OBSERVATION_PROJECTION,
    OBSERVATION_CONTRACT_PROJECTION,
    ROUND_PROJECTION,
    RUN_PROJECTION,
    SAMPLE_PROJECTION,
    TRAJECTORY_PROJECTION,
    TRANSPORT_PROJECTION,
    TRIAL_REASON_PROJECTION,
)
