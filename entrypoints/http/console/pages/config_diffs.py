"""What differs between the configurations of two jobs, as much of it as a page shows."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from application.ports.views import Views
from application.queries.config_diff import ConfigDiff, Leaf, config_diff, holding, leaves
from application.queries.environment import Environment, environment, packages
from application.queries.hyperparameters import Hyperparameters, hyperparameters
from domain.ids import RunId
from entrypoints.http.console.contexts.config import DiffView
from entrypoints.http.console.look import Look

ROWS = 200
"""Rows of one kind that a page shows of one part."""


def config_diffs(views: Views, left: Look, right: Look, q: str = "") -> list[DiffView]:
    """Hyperparameters, environment and packages, those that hold `q`. Raises as the queries."""
    asked = [(hyperparameters(views, RunId(one.run_id), attempt=one.attempt), one) for one in (left, right)]
    ran = [environment(views, RunId(one.run_id), attempt=one.attempt) for one in (left, right)]
    parameters = [parameter_leaves(known) for known, _ in asked]
    return [
        _part("Hyperparameters", "hyperparameters", parameters, q),
        _part("Environment", "environment", [environment_leaves(one) for one in ran], q),
        _part("Packages", "packages", [None if one.packages is None else packages(one.packages) for one in ran], q),
    ]


def parameter_leaves(known: Hyperparameters) -> list[Leaf] | None:
    """None where no snapshot was reported."""
    return leaves(known.params) if known.versions else None


def environment_leaves(known: Environment) -> list[Leaf] | None:
    """All it says but its packages; None where no snapshot was reported."""
    return leaves({**(known.overview or {}), **(known.hardware or {})}) if known.versions else None


def _part(title: str, anchor: str, sides: Sequence[list[Leaf] | None], q: str) -> DiffView:
    left, right = sides
    found = None if left is None or right is None else config_diff(holding(left, q), holding(right, q))
    return DiffView(
        title=title,
        anchor=anchor,
        left_known=left is not None,
        right_known=right is not None,
        diff=None if found is None else _shown(found),
        cut=0 if found is None else _cut(found),
    )


def _shown(found: ConfigDiff) -> ConfigDiff:
    return msgspec.structs.replace(
        found,
        changed=found.changed[:ROWS],
        only_left=found.only_left[:ROWS],
        only_right=found.only_right[:ROWS],
        hidden=found.hidden[:ROWS],
    )


def _cut(found: ConfigDiff) -> int:
    lists: tuple[Sequence[object], ...] = (found.changed, found.only_left, found.only_right, found.hidden)
    return sum(max(0, len(one) - ROWS) for one in lists)
