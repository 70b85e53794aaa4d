"""Every event that can be in the log: its stored name, and how it is written and read.

A stored shape, once released, only gains fields with defaults; anything else is a new `.v2` and an
upcast in `upcasts.py`. Each released shape has a golden file in `tests/events/golden/`.
"""

from __future__ import annotations

import msgspec

from domain.events.artifact import ArtifactRegistered
from domain.events.benchmark import BenchmarkScored
from domain.events.environment import EnvironmentReported, NodesReported
from domain.events.hyperparameters import HyperparametersReported
from domain.events.lifecycle import LifecycleReported
from domain.events.log import LogReported
from domain.events.observation import ObservationContractDeclared, ObservationReported
from domain.events.outcome import OutcomeReported
from domain.events.population import PopulationDeclared
from domain.events.protocol import ProtocolDeclared
from domain.events.run import (
    ExecutionOpened,
    IngestTokenIssued,
    IngestTokensRevoked,
    RunCreated,
    RunShared,
    ShareWithdrawn,
)
from domain.events.sample import SamplesReported
from domain.events.series import HardwareSampled, MetricsReported, SeriesOpened
from domain.events.set_aside import ReportSetAside
from domain.events.trajectory import TrajectoryDeleted, TrajectoryStored
from domain.events.upcasts import UPCASTS
from domain.events.validation_metric import ValidationMetricReported

__all__ = [
    "EVENT_TYPES",
    "ArtifactRegistered",
    "BenchmarkScored",
    "EnvironmentReported",
    "Event",
    "ExecutionOpened",
    "HardwareSampled",
    "HyperparametersReported",
    "IngestTokenIssued",
    "IngestTokensRevoked",
    "LifecycleReported",
    "LogReported",
    "MetricsReported",
    "NodesReported",
    "ObservationContractDeclared",
    "ObservationReported",
    "OutcomeReported",
    "PopulationDeclared",
    "ProtocolDeclared",
    "ReportSetAside",
    "RunCreated",
    "RunShared",
    "SamplesReported",
    "SeriesOpened",
    "ShareWithdrawn",
    "TrajectoryDeleted",
    "TrajectoryStored",
    "ValidationMetricReported",
    "decode",
    "encode",
    "tag_of",
]

Event = (
    ArtifactRegistered
    | BenchmarkScored
    | EnvironmentReported
    | ExecutionOpened
    | HardwareSampled
    | HyperparametersReported
    | IngestTokenIssued
    | IngestTokensRevoked
    | LifecycleReported
    | LogReported
    | MetricsReported
    | NodesReported
    | ObservationContractDeclared
    | ObservationReported
    | OutcomeReported
    | PopulationDeclared
    | ProtocolDeclared
    | ReportSetAside
    | RunCreated
    | RunShared
    | SamplesReported
    | SeriesOpened
    | ShareWithdrawn
    | TrajectoryDeleted
    | TrajectoryStored
    | ValidationMetricReported
)
EVENT_TYPES: tuple[type[Event], ...] = Event.__args__

_encoder = msgspec.msgpack.Encoder()
_decoders = {str(kind.__struct_config__.tag): msgspec.msgpack.Decoder(kind) for kind in EVENT_TYPES}


def tag_of(event: Event) -> str:
    """The stored type name, stable for ever: `outcome-reported.v1`."""
    return str(event.__struct_config__.tag)


def encode(event: Event) -> bytes:
    """The payload to store: a MessagePack map, its tag included under `type`."""
    return _encoder.encode(event)


def decode(tag: str, payload: bytes) -> Event:
    """The event of a stored payload, brought to its newest shape. KeyError for a tag never released."""
    for upcast in UPCASTS.get(tag, ()):
        tag, payload = upcast(payload)
    return _decoders[tag].decode(payload)
