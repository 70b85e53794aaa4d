"""Where a run ran: packages, devices, nodes."""

from __future__ import annotations

from typing import Any

import msgspec

from domain.events.base import AttemptEvent


class EnvironmentReported(AttemptEvent, frozen=True, kw_only=True, omit_defaults=True, tag="environment-reported.v1"):
    overview: dict[str, Any] = msgspec.field(default_factory=dict)
    hardware: dict[str, Any] = msgspec.field(default_factory=dict)
    packages: str = ""
    """Lines of `name==version`."""


class NodesReported(AttemptEvent, frozen=True, kw_only=True, omit_defaults=True, tag="nodes-reported.v1"):
    """It speaks for the nodes it lists; what was reported of other nodes stands."""

    nodes: tuple[dict[str, Any], ...]
    """Each with `node_id`, `hostname` and optional `cpu`, `gpu`."""
