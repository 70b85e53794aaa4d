"""Artifacts: kind, step and path name one; the same registration again is the same artifact."""

from __future__ import annotations

import re

from domain.events import ArtifactRegistered
from domain.ids import Attempt, RunId, stream_id
from domain.placement import Placement
from domain.rules import latest_version_shows

UPLOADS = "artifacts"
"""What the keys of all uploads begin with."""
_DIGEST = re.compile(r"\A[0-9a-f]{64}\Z")


def register_artifact(event: ArtifactRegistered) -> Placement:
    """The next version of this artifact, unless it repeats the latest, its completion included."""
    step = "none" if event.step is None else str(event.step)
    stream = stream_id(event.run, event.attempt, "artifact", event.kind, step, event.path)
    return latest_version_shows.place(event, stream)


def upload_key(run: RunId, attempt: Attempt, sha256: str) -> str:
    """Where the object store keeps a body that this attempt uploads; its artifact is registered under it."""
    return f"{UPLOADS}/{stream_id(run).hex}/{attempt}/{sha256}"


def uploaded_sha256(run: RunId, attempt: Attempt, path: str) -> str | None:
    """Digest of the body that an artifact registered under `path` has here, if it was uploaded.

    None for every path but the one that the server made for a body of the same run and attempt: no other is ever looked
    for.
    """
    sha256 = path.rpartition("/")[2]
    return sha256 if _DIGEST.match(sha256) and path == upload_key(run, attempt, sha256) else None
