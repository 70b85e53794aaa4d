"""Environment snapshots of the run and of its nodes."""

from __future__ import annotations

from domain.events import EnvironmentReported, NodesReported
from domain.ids import stream_id
from domain.placement import Placement
from domain.rules import latest_version_shows


def report_environment(event: EnvironmentReported) -> Placement:
    """The next snapshot of the attempt, unless it repeats the latest."""
    return latest_version_shows.place(event, stream_id(event.run, event.attempt, "environment"))


def report_nodes(event: NodesReported) -> Placement:
    """The next description of these nodes, unless it repeats the latest.

    Each node of a job may report for itself, so what one node says is no version of what another said.
    """
    nodes = sorted(str(node.get("node_id")) for node in event.nodes)
    return latest_version_shows.place(event, stream_id(event.run, event.attempt, "nodes", *nodes))
