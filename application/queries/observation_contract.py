"""What a run declares of its observations, and how much of it was reported."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from application.ports.records import Where
from application.ports.views import Views
from application.projections.observation import NAME
from application.projections.observation_contract import CONTRACT, ContractRecord
from application.queries.asked_attempt import chosen_attempt, in_attempt
from domain.ids import Attempt, RunId
from domain.rules.observation_coverage import CoverageState, CoverageStatus, coverage_state, observation_coverage

Descriptor = dict[str, str | int | float | bool | None]
"""What a contract says of one metric: direction, display, unit, population, reduction, formula, comparison_id,
cadence_seconds; what it does not say is not there."""


NAMES = 20_000
"""Names of observations that are held against a contract; a run that used more made them up."""


class RequirementCoverage(msgspec.Struct, frozen=True, kw_only=True):
    """One requirement of the method, and whether a candidate for it was reported. It proves no correctness."""

    id: str
    capability: str | None
    group: str | None
    unit: str | None
    enabled: bool
    status: CoverageStatus
    matched: list[str]
    """Reported keys and names that are candidates, at most 64."""
    complete: bool
    """False where `matched` may lack some."""


class ContractCoverage(msgspec.Struct, frozen=True, kw_only=True):
    """What the latest contract asks for. Without a contract `attempt` is None, and nothing is asked for."""

    attempt: Attempt | None
    """Which declared the contract."""
    version: int | None
    """Of the contract in this attempt, from 1."""
    recipe: str | None
    framework: str | None
    framework_version: str | None
    method: str | None
    capabilities: list[str]
    primary: list[str]
    """Keys that the method looks at first."""
    requirements: list[RequirementCoverage]
    state: CoverageState
    """In one word. It is coverage, and says nothing of whether training goes well."""
    enabled: int
    """Requirements that are enabled."""
    reported: int
    """Of them, those with a reported candidate; the others are missing."""
    not_enabled: int
    """Requirements that are not enabled."""


def coverage(views: Views, run: RunId, *, attempt: int | None = None) -> ContractCoverage:
    """The contract of the latest attempt that declared one, held against what was reported.

    Series keys and names of observations both count. With an attempt, its own contract and reports. Raises
    `UnknownRun`, `UnknownThing` for an unknown attempt.
    """
    chosen = chosen_attempt(views, run, attempt)
    declared = contract_of(views, run, chosen)
    said = declared.contract if declared else {}
    asks = bool(said.get("requirements"))
    found = observation_coverage(said, _reported(views, run, chosen) if asks else ())
    return ContractCoverage(
        attempt=declared.attempt if declared else None,
        version=declared.versions if declared else None,
        recipe=_text(said.get("recipe")),
        framework=_text(said.get("framework")),
        framework_version=_text(said.get("framework_version")),
        method=_text(said.get("method")),
        capabilities=_texts(said.get("capabilities")),
        primary=_texts(said.get("primary")),
        requirements=[
            RequirementCoverage(
                id=one.id,
                capability=one.capability,
                group=one.group,
                unit=one.unit,
                enabled=one.enabled,
                status=one.status,
                matched=list(one.matched),
                complete=one.complete,
            )
            for one in found
        ],
        state=coverage_state(found if declared else None),
        enabled=sum(one.enabled for one in found),
        reported=sum(one.enabled and one.status == "reported" for one in found),
        not_enabled=sum(not one.enabled for one in found),
    )


def descriptors(views: Views, run: RunId, attempt: Attempt | None) -> dict[str, Descriptor]:
    """What the contract says of each metric key; empty without a contract."""
    declared = contract_of(views, run, attempt)
    return _semantics(declared) if declared else {}


def descriptors_of(views: Views, runs: Sequence[RunId]) -> dict[RunId, dict[str, Descriptor]]:
    """The same of several runs: of the latest attempt that declared a contract; runs without one are left out."""
    latest: dict[RunId, ContractRecord] = {}
    for one in views.records.find(CONTRACT, Where("run", "in", tuple(runs))) if runs else ():
        if one.run not in latest or one.attempt > latest[one.run].attempt:
            latest[one.run] = one
    return {run: _semantics(declared) for run, declared in latest.items()}


def contract_of(views: Views, run: RunId, attempt: Attempt | None) -> ContractRecord | None:
    """The contract of `attempt`, else of the latest that declared one."""
    found = views.records.find(CONTRACT, Where("run", "=", run), *in_attempt(attempt), descending=True, limit=1)
    return found[0] if found else None


def _semantics(declared: ContractRecord) -> dict[str, Descriptor]:
    said = declared.contract.get("semantics")
    if not isinstance(said, dict):
        return {}
    return {str(key): descriptor for key, descriptor in said.items() if isinstance(descriptor, dict)}


def _reported(views: Views, run: RunId, attempt: Attempt | None) -> set[str]:
    keys = views.scalars.keys(run) if attempt is None else views.scalars.reported_keys(run, attempt)
    names = views.records.find(NAME, Where("run", "=", run), *in_attempt(attempt), limit=NAMES)
    return {*keys, *(one.name for one in names)}


def _text(said: object) -> str | None:
    return said if isinstance(said, str) else None


def _texts(said: object) -> list[str]:
    if isinstance(said, str):
        return [said]
    return [one for one in said if isinstance(one, str)] if isinstance(said, list) else []
