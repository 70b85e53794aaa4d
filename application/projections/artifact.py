"""What runs produced: the latest report of each artifact."""

from __future__ import annotations

from typing import Any

import msgspec

from application.ports.event_log import RecordedEvent
from application.ports.records import Records, RecordTable
from application.projections.projection import Projection
from domain.events import ArtifactRegistered, Event
from domain.ids import Attempt, Micros, Position, RunId


class CompletionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The producer's evidence that an artifact is complete, without its list of files."""

    shape: str
    evidence: str
    digest: str
    files: int


class ArtifactRecord(msgspec.Struct, frozen=True, kw_only=True):
    run: RunId
    artifact: str
    """Its identity: the stream of attempt, kind, step and path, in hex."""
    position: Position
    """Of the latest report."""
    attempt: Attempt
    kind: str
    path: str
    format: str
    step: int | None
    size_bytes: int | None
    metrics: dict[str, Any] | None
    completion: CompletionRecord | None
    """None where the producer gave no evidence."""
    registered_at: Micros
    versions: int
    """How many different reports there were."""


ARTIFACT = RecordTable(
    name="artifact",
    record=ArtifactRecord,
    key=("run", "artifact"),
    columns=("position", "attempt"),
    indexes=(("run", "position"),),
)


def project(recorded: RecordedEvent, event: Event, records: Records) -> None:
    """Takes in one artifact; the latest version replaces the one before."""
    match event:
        case ArtifactRegistered():
            record = ArtifactRecord(
                run=event.run,
                artifact=recorded.stream.hex,
                position=recorded.position,
                attempt=event.attempt,
                kind=event.kind,
                path=event.path,
                format=event.format,
                step=event.step,
                size_bytes=event.size_bytes,
                metrics=event.metrics,
                completion=_completion(event),
                registered_at=recorded.recorded_at,
                versions=recorded.version,
            )
            records.put(ARTIFACT, record)
        case _:
            pass


def _completion(event: ArtifactRegistered) -> CompletionRecord | None:
    if event.completion is None:
        return None
    said = event.completion
    return CompletionRecord(
        shape=said["shape"], evidence=said["evidence"], digest=said["digest"], files=len(said["files"])
    )


ARTIFACT_PROJECTION = Projection(
    name="artifact", version=1, reads=(ArtifactRegistered,), tables=(ARTIFACT,), project=project
)
