"""`artifact`: registers a checkpoint, an export, a report; with the producer's evidence that it is complete."""

from __future__ import annotations

import hmac
import posixpath
from typing import Annotated, Any, Literal

import msgspec
from tuneplane.contract import (
    ARTIFACT_BODY_BYTES,
    ARTIFACT_FORMAT_CHARS,
    ARTIFACT_PATH_CHARS,
    COMPLETION_FILES,
    COMPLETION_VERSION,
    DIGEST_PATTERN,
    INT64_MAX,
    completion_digest,
)

from domain.errors import Refused
from domain.events import ArtifactRegistered
from entrypoints.http.ingest.body import Body, Report
from entrypoints.http.ingest.guards import converted, free_form, name
from entrypoints.http.ingest.source import Source

Count = Annotated[int, msgspec.Meta(ge=0, le=INT64_MAX)]
Digest = Annotated[str, msgspec.Meta(pattern=DIGEST_PATTERN)]
Kind = Literal["checkpoint", "hf_export", "eval_report", "merged_model", "log", "capsule"]


class CompletionFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    path: str
    size_bytes: Count
    sha256: Digest


class Completion(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Files sorted by unique relative path; `digest` covers everything else."""

    apiVersion: str  # noqa: N815 - the name on the wire
    run_id: str
    attempt: Count
    kind: Kind
    step: Count | None = None
    shape: Literal["file", "directory"]
    evidence: Literal["producer-exited", "producer-notification"]
    files: Annotated[list[CompletionFile], msgspec.Meta(min_length=1, max_length=COMPLETION_FILES)]
    digest: Digest


class Artifact(Report, frozen=True, kw_only=True):
    kind: Kind
    path: str
    """`s3://…` or a path of the cluster: text to show, never opened."""
    format: str
    step: Count | None = None
    size_bytes: Count | None = None
    """Equals the sum of the completion's files."""
    metrics: dict[str, Any] | None = None
    completion: dict[str, Any] | None = None
    """As `Completion`."""


BODY = Body(Artifact, ARTIFACT_BODY_BYTES)


def event(report: Artifact, source: Source) -> ArtifactRegistered:
    """What is said of the artifact. Raises `Refused`."""
    if report.metrics is not None:
        free_form("metrics", report.metrics)
    if report.completion is not None:
        free_form("completion", report.completion)
        _check(report, report.completion, source)
    return ArtifactRegistered(
        run=source.run,
        attempt=source.attempt,
        kind=report.kind,
        path=name("path", report.path, ARTIFACT_PATH_CHARS),
        format=name("format", report.format, ARTIFACT_FORMAT_CHARS, least=0),
        step=report.step,
        size_bytes=report.size_bytes,
        metrics=report.metrics,
        completion=report.completion,
    )


def _check(report: Artifact, sent: dict[str, Any], source: Source) -> None:
    completion: Completion = converted("completion", sent, Completion)
    for field, said, expected in (
        ("apiVersion", completion.apiVersion, COMPLETION_VERSION),
        ("run_id", completion.run_id, source.run),
        ("attempt", completion.attempt, source.attempt),
        ("kind", completion.kind, report.kind),
        ("step", completion.step, report.step),
    ):
        if said != expected:
            raise Refused.at(f"completion.{field}", f"must be {expected!r}")
    if not hmac.compare_digest(completion.digest, completion_digest(sent)):
        raise Refused.at("completion.digest", "is not the SHA-256 of the rest of the completion")
    _check_files(completion)
    total = sum(file.size_bytes for file in completion.files)
    if report.size_bytes is not None and report.size_bytes != total:
        raise Refused.at("size_bytes", f"must be the sum of the completion's files, {total:,}")


def _check_files(completion: Completion) -> None:
    paths = [file.path for file in completion.files]
    if completion.shape == "file":
        if paths != ["content"]:
            raise Refused.at("completion.files", "shape file has exactly one record, named content")
        return
    parents: set[str] = set()
    for at, path in enumerate(paths):
        where = f"completion.files[{at}].path"
        name(where, path, ARTIFACT_PATH_CHARS)
        parts = path.split("/")
        if "\\" in path or "" in parts or "." in parts or ".." in parts:
            raise Refused.at(where, "must be a relative path without empty parts, . or .., and without \\")
        if at and path <= paths[at - 1]:
            raise Refused.at(where, "paths must be sorted and unique")
        while path := posixpath.dirname(path):
            parents.add(path)
    if both := parents.intersection(paths):
        raise Refused.at("completion.files", f"{min(both)!r} is a file and a folder")
