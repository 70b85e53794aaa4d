"""Removes a version of a projection that does not serve."""

from __future__ import annotations

from application.ports.projection_store import ProjectionStore
from application.projections.versions import spare_version


def drop_projection(store: ProjectionStore, name: str, version: int | None = None) -> int:
    """The version that was removed: `version`, by default the only one that does not serve.

    Raises `Refused` where it serves, or where several do not serve and none is named.
    """
    chosen = spare_version(store, name, version, only=True).version
    store.drop(name, chosen)
    return chosen
