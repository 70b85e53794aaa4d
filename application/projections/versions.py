"""Which version of a projection a command is about."""

from __future__ import annotations

from application.ports.projection_store import ProjectionStore, ProjectionVersion
from domain.errors import Refused, UnknownThing


def serving_version(store: ProjectionStore, name: str) -> ProjectionVersion:
    """The version that answers questions. Raises `UnknownThing` where there is none."""
    for one in store.versions(name):
        if one.serving:
            return one
    raise UnknownThing(f"There is no projection {name!r}; there are {', '.join(sorted(_names(store)))}.")


def spare_version(
    store: ProjectionStore, name: str, version: int | None = None, *, only: bool = False
) -> ProjectionVersion:
    """The version `version`, which may not serve; by default the newest that does not.

    With `only` there must not be others to choose from. Raises `UnknownThing` where there is none.
    """
    serving = serving_version(store, name)
    spare = [
        one
        for one in store.versions(name)
        if not one.serving
        and (one.version == version if version is not None else one.code_version == serving.code_version)
    ]
    if version == serving.version:
        raise Refused(f"Version {version} of {name!r} serves.")
    if not spare:
        wanted = "other version" if version is None else f"version {version}"
        raise UnknownThing(f"There is no {wanted} of {name!r}; `rebuild` makes one.")
    if only and len(spare) > 1:
        raise Refused(f"Say which version of {name!r}: {', '.join(str(one.version) for one in spare)}.")
    return spare[-1]


def _names(store: ProjectionStore) -> set[str]:
    return {one.name for one in store.versions()}
