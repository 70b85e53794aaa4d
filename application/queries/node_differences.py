"""In what the nodes of a job are not alike. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from application.queries.config_diff import Leaf, leaves
from application.queries.environment import Node


class NodeGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes that say the same of one thing."""

    value: Leaf | None
    """None: they say nothing of it."""
    nodes: list[str]
    """Their ids, in the order of the nodes."""


class NodeDifference(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is not the same on all nodes."""

    path: str
    groups: list[NodeGroup]
    """The most nodes first."""


def node_differences(nodes: Sequence[Node]) -> list[NodeDifference]:
    """By path, names of nodes apart; empty where they are alike or there are fewer than two."""
    said = [(one.node_id, {leaf.path: leaf for leaf in _described(one)}) for one in nodes]
    paths = sorted({path for _, described in said for path in described})
    found = [NodeDifference(path=path, groups=_groups(said, path)) for path in paths]
    return [one for one in found if len(one.groups) > 1]


def _described(node: Node) -> list[Leaf]:
    return leaves({name: said for name, said in (("cpu", node.cpu), ("gpu", node.gpu)) if said is not None})


def _groups(said: Sequence[tuple[str, dict[str, Leaf]]], path: str) -> list[NodeGroup]:
    by_value: dict[Leaf | None, list[str]] = {}
    for node_id, described in said:
        by_value.setdefault(described.get(path), []).append(node_id)
    groups = [NodeGroup(value=value, nodes=nodes) for value, nodes in by_value.items()]
    return sorted(groups, key=lambda one: -len(one.nodes))
