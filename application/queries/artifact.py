"""What a run produced."""

from __future__ import annotations

from typing import Any

import msgspec

from application.ports.records import Where
from application.ports.views import Views
from application.projections.artifact import ARTIFACT, ArtifactRecord, CompletionRecord
from application.queries.moment import moment
from application.queries.page import Page, keyset, page_size
from application.queries.run import chosen_attempt, in_attempt
from domain.ids import Attempt, RunId


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """The producer's evidence that the artifact is complete; its list of files is in the history."""

    shape: str
    evidence: str
    digest: str
    files: int


class Artifact(msgspec.Struct, frozen=True, kw_only=True):
    """The latest report of one artifact."""

    attempt: Attempt
    kind: str
    path: str
    """Text to show; this server opens it never."""
    format: str
    step: int | None
    size_bytes: int | None
    metrics: dict[str, Any] | None
    completion: Completion | None
    """None where the producer gave no evidence."""
    registered_at: str
    position: int
    versions: int
    """Different reports of it."""


def artifacts(
    views: Views, run: RunId, *, attempt: int | None = None, limit: int | None = None, cursor: str | None = None
) -> Page[Artifact]:
    """Artifacts, the latest first, of all attempts unless one is asked for. Raises `UnknownRun`, `UnknownThing`."""
    chosen = chosen_attempt(views, run, attempt)
    found, following = keyset(
        views.records,
        ARTIFACT,
        Where("run", "=", run),
        *in_attempt(chosen),
        order=("position",),
        descending=True,
        size=page_size(limit),
        cursor=cursor,
    )
    return Page(items=[_artifact(one) for one in found], next_cursor=following)


def _artifact(record: ArtifactRecord) -> Artifact:
    return Artifact(
        attempt=record.attempt,
        kind=record.kind,
        path=record.path,
        format=record.format,
        step=record.step,
        size_bytes=record.size_bytes,
        metrics=record.metrics,
        completion=_completion(record.completion),
        registered_at=moment(record.registered_at),
        position=record.position,
        versions=record.versions,
    )


def _completion(said: CompletionRecord | None) -> Completion | None:
    if said is None:
        return None
    return Completion(shape=said.shape, evidence=said.evidence, digest=said.digest, files=said.files)
