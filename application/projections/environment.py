"""Where each attempt ran: its latest snapshot, and the latest of each of its nodes."""

from __future__ import annotations

from typing import Any

import msgspec

from application.ports.event_log import RecordedEvent
from application.ports.records import Records, RecordTable
from application.projections.key_text import key_text
from application.projections.projection import Projection
from domain.events import EnvironmentReported, Event, NodesReported
from domain.ids import Attempt, Micros, RunId


class EnvironmentRecord(msgspec.Struct, frozen=True, kw_only=True):
    run: RunId
    attempt: Attempt
    overview: dict[str, Any]
    hardware: dict[str, Any]
    packages: str
    """Lines of `name==version`."""
    reported_at: Micros
    versions: int
    """Different snapshots reported."""


class NodeRecord(msgspec.Struct, frozen=True, kw_only=True):
    run: RunId
    attempt: Attempt
    node_id: str
    """As a key; as it was reported in `node`."""
    node: dict[str, Any]
    """As reported."""
    reported_at: Micros


ENVIRONMENT = RecordTable(name="environment", record=EnvironmentRecord, key=("run", "attempt"))
NODE = RecordTable(name="node", record=NodeRecord, key=("run", "attempt", "node_id"))


def project(recorded: RecordedEvent, event: Event, records: Records) -> None:
    """Takes in one snapshot; nodes that it does not list keep theirs."""
    match event:
        case EnvironmentReported(run=run, attempt=attempt):
            record = EnvironmentRecord(
                run=run,
                attempt=attempt,
                overview=event.overview,
                hardware=event.hardware,
                packages=event.packages,
                reported_at=recorded.recorded_at,
                versions=recorded.version,
            )
            records.put(ENVIRONMENT, record)
        case NodesReported(run=run, attempt=attempt, nodes=nodes):
            for node in nodes:
                node_id = key_text(node.get("node_id", ""))
                at = recorded.recorded_at
                records.put(NODE, NodeRecord(run=run, attempt=attempt, node_id=node_id, node=node, reported_at=at))
        case _:
            pass


ENVIRONMENT_PROJECTION = Projection(
    name="environment",
    version=1,
    reads=(EnvironmentReported, NodesReported),
    tables=(ENVIRONMENT, NODE),
    project=project,
)
