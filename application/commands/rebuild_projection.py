"""Fills a new version of a projection from the log, while the one that serves goes on serving."""

from __future__ import annotations

import msgspec

from application.ports.projection_store import Progress, ProjectionStore
from domain.ids import Position


class Rebuilt(msgspec.Struct, frozen=True, kw_only=True):
    version: int
    position: Position
    """What it had taken in at the end; from there on the projector keeps it up to date."""


def rebuild_projection(store: ProjectionStore, name: str, progress: Progress) -> Rebuilt:
    """The new version, filled. Interrupted, it stays, and the projector fills it."""
    version = store.add(name)
    return Rebuilt(version=version, position=store.fill(name, version, progress))
