"""Names of the wire are said once, in `tuneplane.contract`; the types that decoders are built of say the same ones."""

from typing import get_args, get_type_hints

import pytest
from tuneplane import contract

from domain.events.lifecycle import LifecycleName
from domain.events.observation import ObservationKind
from domain.events.outcome import OutcomeStatus
from domain.events.series import InvalidKind
from entrypoints.http.ingest.wire import (
    artifact,
    evaluation,
    hardware,
    observation_contract,
    observations,
    trajectory,
)


def names_of(struct: type, field: str) -> set[str]:
    """The texts that a field may be."""

    def within(kind: object) -> set[str]:
        parts = get_args(kind)
        return set().union(*map(within, parts)) if parts else {one for one in (kind,) if isinstance(one, str)}

    return within(get_type_hints(struct)[field])


@pytest.mark.parametrize(
    ("known", "names"),
    [
        (set(get_args(InvalidKind)), contract.INVALID_KINDS),
        (set(get_args(LifecycleName)), contract.LIFECYCLE_EVENTS),
        (set(get_args(OutcomeStatus)), contract.OUTCOME_STATUSES),
        ({*get_args(ObservationKind), "scalar"}, contract.EVENT_KINDS),
        (names_of(observations.ObservationEvent, "kind"), contract.EVENT_KINDS),
        (names_of(evaluation.Outcome, "status"), contract.OUTCOME_STATUSES),
        (names_of(evaluation.ValidationMetric, "unit"), contract.METRIC_UNITS),
        (set(get_args(observation_contract.Capability)), contract.CAPABILITIES),
        (names_of(observation_contract.Descriptor, "direction"), contract.DIRECTIONS),
        (names_of(observation_contract.Descriptor, "display"), contract.DISPLAYS),
        (names_of(trajectory.Trace, "scope"), contract.SCOPES),
        (names_of(trajectory.Trace, "capture_policy"), contract.CAPTURE_POLICIES),
        (names_of(trajectory.Trace, "diagnostic"), contract.DIAGNOSTICS),
        (names_of(trajectory.TraceMessage, "role"), contract.ROLES),
        (set(get_args(artifact.Kind)), contract.ARTIFACT_KINDS),
        (names_of(artifact.Completion, "shape"), contract.COMPLETION_SHAPES),
        (names_of(artifact.Completion, "evidence"), contract.COMPLETION_EVIDENCE),
        (names_of(hardware.HardwarePoint, "gpu_attribution"), contract.GPU_ATTRIBUTIONS),
    ],
)
def test_types_and_contract_name_the_same(known, names):
    assert known == set(names)
