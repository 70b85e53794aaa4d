"""`environment` and `environment/nodes`: where the run runs."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from tuneplane.contract import ENVIRONMENT_BODY_BYTES

from domain.environment import report_environment, report_nodes
from domain.events import EnvironmentReported, NodesReported
from domain.placement import Placement
from entrypoints.http.ingest.body import Body, Report
from entrypoints.http.ingest.guards import converted, free_form, name
from entrypoints.http.ingest.source import Source

NODES_PER_REQUEST = 4_096
_NAME_CHARS = 256


class Environment(Report, frozen=True, kw_only=True):
    overview: dict[str, Any] | None = None
    hardware: dict[str, Any] | None = None
    """`cpu` and `gpu`, both optional."""
    packages: str = ""
    """Text, as `pip list --format=freeze` prints it."""


class Node(msgspec.Struct, frozen=True):
    node_id: str
    hostname: str
    cpu: dict[str, Any] | None = None
    gpu: dict[str, Any] | None = None


class Nodes(Report, frozen=True, kw_only=True):
    nodes: Annotated[list[dict[str, Any]], msgspec.Meta(min_length=1, max_length=NODES_PER_REQUEST)]
    """Each as `Node`; what else it says is kept."""


BODY = Body(Environment, ENVIRONMENT_BODY_BYTES)
NODES_BODY = Body(Nodes, ENVIRONMENT_BODY_BYTES)


def placements(report: Environment, source: Source) -> list[Placement]:
    """One event."""
    overview, hardware = report.overview or {}, report.hardware or {}
    free_form("overview", overview)
    free_form("hardware", hardware)
    event = EnvironmentReported(
        run=source.run,
        attempt=source.attempt,
        overview=overview,
        hardware=hardware,
        packages=report.packages,
    )
    return [report_environment(event)]


def nodes_placements(report: Nodes, source: Source) -> list[Placement]:
    """One event for all nodes of the request."""
    free_form("nodes", report.nodes)
    for at, described in enumerate(report.nodes):
        node: Node = converted(f"nodes[{at}]", described, Node)
        name(f"nodes[{at}].node_id", node.node_id, _NAME_CHARS)
        name(f"nodes[{at}].hostname", node.hostname, _NAME_CHARS)
    event = NodesReported(run=source.run, attempt=source.attempt, nodes=tuple(report.nodes))
    return [report_nodes(event)]
