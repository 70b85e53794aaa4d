"""Where a run ran: packages, devices, nodes."""

from __future__ import annotations

from typing import Any

import msgspec

from application.ports.records import Where
from application.ports.views import Views
from application.projections.environment import ENVIRONMENT, NODE
from application.queries.moment import moment
from application.queries.run import latest_attempt
from domain.ids import Attempt, RunId


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """The latest that was reported of one node."""

    node_id: str
    hostname: str | None
    cpu: Any
    """As reported; None where it was not."""
    gpu: Any
    reported_at: str


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """The surroundings of one attempt."""

    attempt: Attempt | None
    """None where the run has none yet."""
    overview: dict[str, Any] | None
    """None, as the two below, where no snapshot was reported."""
    hardware: dict[str, Any] | None
    packages: str | None
    """Lines of `name==version`."""
    reported_at: str | None
    versions: int
    """Different snapshots reported."""
    nodes: list[Node]


def environment(views: Views, run: RunId, *, attempt: int | None = None) -> Environment:
    """The environment of an attempt, without one of the latest. Raises `UnknownRun`, `UnknownThing`."""
    shown = latest_attempt(views, run, attempt)
    known = None if shown is None else views.records.get(ENVIRONMENT, run, shown)
    return Environment(
        attempt=shown,
        overview=known.overview if known else None,
        hardware=known.hardware if known else None,
        packages=known.packages if known else None,
        reported_at=moment(known.reported_at) if known else None,
        versions=known.versions if known else 0,
        nodes=[] if shown is None else _nodes(views, run, shown),
    )


def _nodes(views: Views, run: RunId, attempt: Attempt) -> list[Node]:
    return [
        Node(
            node_id=str(one.node.get("node_id", "")),
            hostname=one.node.get("hostname"),
            cpu=one.node.get("cpu"),
            gpu=one.node.get("gpu"),
            reported_at=moment(one.reported_at),
        )
        for one in views.records.find(NODE, Where("run", "=", run), Where("attempt", "=", attempt))
    ]
