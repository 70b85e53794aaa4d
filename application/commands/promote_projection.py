"""Lets another version of a projection serve; the one that served is kept, so that this can be taken back."""

from __future__ import annotations

from application.ports.projection_store import ProjectionStore
from application.projections.versions import spare_version


def promote_projection(store: ProjectionStore, name: str, version: int | None = None) -> int:
    """The version that serves from here on: `version`, by default the newest that does not serve yet.

    Raises `Refused` where it has taken in less than the one that serves.
    """
    chosen = spare_version(store, name, version).version
    store.promote(name, chosen)
    return chosen
