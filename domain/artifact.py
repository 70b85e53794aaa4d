"""Artifacts: kind, step and path name one; the same registration again is the same artifact."""

from __future__ import annotations

from domain.events import ArtifactRegistered
from domain.ids import stream_id
from domain.placement import Placement
from domain.rules import latest_version_shows


def register_artifact(event: ArtifactRegistered) -> Placement:
    """The next version of this artifact, unless it repeats the latest, its completion included."""
    step = "none" if event.step is None else str(event.step)
    stream = stream_id(event.run, event.attempt, "artifact", event.kind, step, event.path)
    return latest_version_shows.place(event, stream)
