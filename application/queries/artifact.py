"""What a run produced, and whose bytes are kept here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from application.ports.object_store import ObjectStore
from application.ports.records import Where
from application.ports.views import Views
from application.projections.artifact import ARTIFACT, ArtifactRecord, CompletionRecord
from application.queries.asked_attempt import chosen_attempt, in_attempt
from application.queries.moment import moment
from application.queries.page import Page, keyset, page_size
from domain.artifact import upload_key, uploaded_sha256
from domain.errors import TryAgain, UnknownThing
from domain.ids import Attempt, RunId


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """The producer's evidence that the artifact is complete; its list of files is in the history."""

    shape: str
    evidence: str
    digest: str
    files: int


class Artifact(msgspec.Struct, frozen=True, kw_only=True):
    """The latest report of one artifact."""

    artifact_id: str
    """Its identity: attempt, kind, step and path."""
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


class ListedArtifact(Artifact, frozen=True, kw_only=True):
    """An artifact, and what this server has of it."""

    sha256: str | None
    """Of the body that it was registered with here; None where it names no upload."""
    stored_bytes: int | None
    """Size of that body, which was checked when it came in; None where no bytes of it are here."""
    store_answered: bool = True
    """False: the object store could not be asked, so that it is not known now whether the bytes are here."""


class ArtifactBody(msgspec.Struct, frozen=True, kw_only=True):
    """The bytes of one artifact."""

    name: str
    """What to call a copy: made here, of nothing that a job chose."""
    size_bytes: int
    pieces: Iterator[bytes]


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


def listed_artifacts(
    views: Views,
    bodies: ObjectStore,
    run: RunId,
    *,
    attempt: int | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Page[ListedArtifact]:
    """As `artifacts`, with what is kept of each, as far as the object store answers."""
    found = artifacts(views, run, attempt=attempt, limit=limit, cursor=cursor)
    listed: list[ListedArtifact] = []
    answers = True
    for one in found.items:
        try:
            listed.append(_listed(bodies, run, one) if answers else _not_asked(run, one))
        except TryAgain:
            answers = False
            listed.append(_not_asked(run, one))
    return Page(items=listed, next_cursor=found.next_cursor)


def artifact_body(views: Views, bodies: ObjectStore, run: RunId, artifact_id: str) -> ArtifactBody:
    """The bytes of an uploaded artifact. Raises `UnknownThing` where there is no such artifact or no bytes of it."""
    record = views.records.get(ARTIFACT, run, artifact_id)
    if record is None:
        raise UnknownThing("This run has no such artifact.")
    listed = _listed(bodies, run, _artifact(record))
    pieces = None if listed.sha256 is None else bodies.read(upload_key(run, record.attempt, listed.sha256))
    if listed.sha256 is None or listed.stored_bytes is None or pieces is None:
        raise UnknownThing("No bytes of this artifact are kept here.")
    step = "" if record.step is None else f"-step-{record.step}"
    name = f"{run}-{record.kind}{step}-{listed.sha256[:12]}"
    return ArtifactBody(name=name, size_bytes=listed.stored_bytes, pieces=pieces)


def _listed(bodies: ObjectStore, run: RunId, artifact: Artifact) -> ListedArtifact:
    sha256 = uploaded_sha256(run, artifact.attempt, artifact.path)
    stored = None if sha256 is None else bodies.stat(upload_key(run, artifact.attempt, sha256))
    return ListedArtifact(
        **msgspec.structs.asdict(artifact), sha256=sha256, stored_bytes=None if stored is None else stored.size_bytes
    )


def _not_asked(run: RunId, artifact: Artifact) -> ListedArtifact:
    sha256 = uploaded_sha256(run, artifact.attempt, artifact.path)
    fields = msgspec.structs.asdict(artifact)
    return ListedArtifact(**fields, sha256=sha256, stored_bytes=None, store_answered=sha256 is None)


def _artifact(record: ArtifactRecord) -> Artifact:
    return Artifact(
        artifact_id=record.artifact,
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
