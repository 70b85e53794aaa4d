"""The observation contract: what a run's metrics mean, and which of them its method needs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from tuneplane.contract import CONTRACT_BYTES, CONTRACT_DESCRIPTORS, EVENT_TEXT_CHARS, METRIC_KEY_CHARS

from domain.errors import Refused
from domain.events import ObservationContractDeclared
from domain.observation import declare_contract
from domain.placement import Placement
from entrypoints.http.ingest.guards import converted, finite, free_form, json_bytes, name
from entrypoints.http.ingest.source import Source

Text = Annotated[str, msgspec.Meta(max_length=EVENT_TEXT_CHARS)]
Capability = Literal["agent", "async", "mixed", "environment", "moe", "speculative"]
REQUIREMENT_PATTERN = r"\A[^/\x00-\x1f]{1,256}/[^\x00-\x1f]{1,256}\Z"


class Descriptor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one metric means."""

    direction: Literal["higher", "lower", "neutral"] | None = None
    display: Literal["ratio", "percent", "number"] | None = None
    """ratio is 0..1, percent 0..100."""
    unit: Text | None = None
    population: Text | None = None
    reduction: Text | None = None
    formula: Text | None = None
    comparison_id: Text | None = None
    """The owner's assertion that equal ones may be compared."""
    cadence_seconds: Annotated[float, msgspec.Meta(gt=0)] | None = None


class Requirement(msgspec.Struct, frozen=True, kw_only=True):
    """What a capability needs to be seen by."""

    id: Annotated[str, msgspec.Meta(pattern=REQUIREMENT_PATTERN)]
    """`capability/name`."""
    group: Text | None = None
    unit: Text | None = None
    candidates: list[Annotated[str, msgspec.Meta(min_length=1, max_length=METRIC_KEY_CHARS)]] = []
    """Metric keys, `*` is a wildcard."""
    capability: Text | None = None
    enabled: bool = True
    support: bool | Text | None = None
    population: bool | Text | None = None
    producer: Text | None = None


class ObservationContract(msgspec.Struct, frozen=True, kw_only=True):
    """At most 128 KiB of JSON."""

    version: Literal[1]
    recipe: Text | None = None
    framework: Text | None = None
    framework_version: Text | None = None
    method: Text | None = None
    capabilities: list[Capability] = []
    primary: Text | list[Text] | None = None
    semantics: Annotated[dict[str, Descriptor], msgspec.Meta(max_length=CONTRACT_DESCRIPTORS)] = {}
    """Metric key -> descriptor."""
    requirements: list[Requirement] = []


def placement(sent: dict[str, Any], source: Source) -> Placement:
    """The next version of the attempt's contract; stored as sent."""
    free_form("contract", sent)
    if (found := json_bytes(sent)) > CONTRACT_BYTES:
        raise Refused.at("contract", f"has {found:,} bytes; {CONTRACT_BYTES:,} are allowed", CONTRACT_BYTES)
    contract: ObservationContract = converted("contract", sent, ObservationContract)
    for key, descriptor in contract.semantics.items():
        name("contract.semantics", key, METRIC_KEY_CHARS)
        _check(f"contract.semantics[{key!r}]", descriptor)
    return declare_contract(ObservationContractDeclared(run=source.run, attempt=source.attempt, contract=sent))


def _check(path: str, descriptor: Descriptor) -> None:
    finite(f"{path}.cadence_seconds", descriptor.cadence_seconds)
    for unit, display in (("fraction", "ratio"), ("percent", "percent")):
        if descriptor.unit == unit and descriptor.display != display:
            raise Refused.at(f"{path}.display", f"unit={unit} needs display={display}")
