"""The observation contract of a job as it was declared: what it enables, and what it says of each metric."""

from __future__ import annotations

import msgspec

from application.ports.views import Views
from application.queries.asked_attempt import chosen_attempt
from application.queries.config_diff import Leaf, leaves
from application.queries.moment import moment
from application.queries.observation_contract import contract_of
from domain.ids import Attempt, RunId

_METHOD = ("recipe", "framework", "framework_version", "method")


class DeclaredDescriptor(msgspec.Struct, frozen=True, kw_only=True):
    """What is declared of one metric; only the experiment's owner asserts it."""

    key: str
    said: list[Leaf]


class DeclaredContract(msgspec.Struct, frozen=True, kw_only=True):
    attempt: Attempt
    """Which declared it."""
    declared_at: str
    versions: int
    """Different contracts that this attempt declared; this is the latest."""
    capabilities: list[str]
    method: list[Leaf]
    """Recipe, framework, its version and the method, those of them that are declared."""
    descriptors: list[DeclaredDescriptor]
    """By key."""


def declared_contract(views: Views, run: RunId, *, attempt: int | None = None) -> DeclaredContract | None:
    """Of the attempt, else of the latest that declared one; None where none did. Raises as `chosen_attempt`."""
    known = contract_of(views, run, chosen_attempt(views, run, attempt))
    if known is None:
        return None
    said = known.contract
    capabilities, semantics = said.get("capabilities"), said.get("semantics")
    described = semantics if isinstance(semantics, dict) else {}
    return DeclaredContract(
        attempt=known.attempt,
        declared_at=moment(known.declared_at),
        versions=known.versions,
        capabilities=[str(one) for one in capabilities] if isinstance(capabilities, list) else [],
        method=leaves({name: said[name] for name in _METHOD if isinstance(said.get(name), str)}),
        descriptors=[
            DeclaredDescriptor(key=key, said=leaves(descriptor))
            for key, descriptor in sorted(described.items())
            if isinstance(descriptor, dict)
        ],
    )
