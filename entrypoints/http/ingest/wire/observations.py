"""`observations`: events, histograms, health and collected scalars, and the contract that says what they mean.

Events with a reserved name are facts of an evaluation: see `evaluation.py`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal

import msgspec
from tuneplane.contract import (
    EVENT_BYTES,
    EVENT_ID_CHARS,
    EVENT_NAME_CHARS,
    EVENT_TEXT_CHARS,
    EVENT_TS_CHARS,
    EVENT_VALUE_KEY_CHARS,
    EVENT_VALUES,
    EVENTS_PER_REQUEST,
    HISTOGRAM_BOUNDS,
    INT64_MAX,
    OBSERVATIONS_BODY_BYTES,
    RESERVED_NAMES,
)

from application.commands.report_collected_scalars import CollectedScalar
from domain.errors import Refused
from domain.events import ObservationReported
from domain.observation import report_observation
from domain.placement import Placement
from entrypoints.http.ingest.body import Body, Report
from entrypoints.http.ingest.guards import finite, json_bytes, name, optional_name
from entrypoints.http.ingest.source import Source
from entrypoints.http.ingest.wire import evaluation, observation_contract
from entrypoints.http.ingest.wire.collected_scalar import scalar

Count = Annotated[int, msgspec.Meta(ge=0, le=INT64_MAX)]
Whole = Annotated[int, msgspec.Meta(ge=-INT64_MAX - 1, le=INT64_MAX)]
Value = bool | int | float | str


class ObservationEvent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """At most 16,384 bytes as compact UTF-8 JSON."""

    id: str
    kind: Literal["event", "histogram", "health", "scalar"]
    name: str
    ts: str
    step: Count | None = None
    policy_version: Count | None = None
    values: Annotated[dict[str, Value], msgspec.Meta(max_length=EVENT_VALUES)] | None = None
    """Finite numbers, booleans, text of at most 512 characters."""
    bounds: Annotated[list[Whole | float], msgspec.Meta(min_length=1, max_length=HISTOGRAM_BOUNDS)] | None = None
    """Histograms: strictly increasing."""
    counts: Annotated[list[Count], msgspec.Meta(min_length=2, max_length=HISTOGRAM_BOUNDS + 1)] | None = None
    """Histograms: one more than bounds, for the overflow."""


class Observations(Report, frozen=True, kw_only=True):
    """One of the two is there."""

    events: Annotated[list[ObservationEvent], msgspec.Meta(max_length=EVENTS_PER_REQUEST)] | None = None
    contract: dict[str, Any] | None = None


BODY = Body(Observations, OBSERVATIONS_BODY_BYTES)


class Observed(msgspec.Struct, frozen=True):
    """What a request says: placed facts, and collected scalars, whose series still need numbers."""

    placements: list[Placement]
    scalars: list[CollectedScalar]


def observed(report: Observations, source: Source) -> Observed:
    """Raises for whatever is wrong with any event, before anything is stored."""
    if not report.events and report.contract is None:
        raise Refused.at("events", "events or contract must be there")
    found = Observed([], [])
    if report.contract is not None:
        found.placements.append(observation_contract.placement(report.contract, source))
    for at, event in enumerate(report.events or ()):
        path = f"events[{at}]"
        _check(path, event)
        if event.name in RESERVED_NAMES:
            found.placements.append(evaluation.placement(path, event.kind, event, source))
        elif event.kind == "scalar":
            found.scalars.append(_scalar(path, event))
        else:
            found.placements.append(_observation(event, event.kind, source))
    return found


def _scalar(path: str, event: ObservationEvent) -> CollectedScalar:
    return scalar(
        path, event_id=event.id, key=event.name, ts=event.ts, step=event.step, values=dict(event.values or {})
    )


def _observation(event: ObservationEvent, kind: Literal["event", "histogram", "health"], source: Source) -> Placement:
    fact = ObservationReported(
        run=source.run,
        attempt=source.attempt,
        id=event.id,
        kind=kind,
        name=event.name,
        ts=event.ts,
        step=event.step,
        policy_version=event.policy_version,
        values=event.values or {},
        bounds=None if event.bounds is None else tuple(event.bounds),
        counts=None if event.counts is None else tuple(event.counts),
    )
    return report_observation(fact)


def _check(path: str, event: ObservationEvent) -> None:
    name(f"{path}.id", event.id, EVENT_ID_CHARS)
    name(f"{path}.name", event.name, EVENT_NAME_CHARS)
    optional_name(f"{path}.ts", event.ts, EVENT_TS_CHARS)
    for key, value in (event.values or {}).items():
        name(f"{path}.values", key, EVENT_VALUE_KEY_CHARS)
        _check_value(f"{path}.values.{key}", value)
    _check_histogram(path, event)
    if (found := json_bytes(event)) > EVENT_BYTES:
        raise Refused.at(path, f"has {found:,} bytes as JSON; {EVENT_BYTES:,} are allowed", EVENT_BYTES)


def _check_value(path: str, value: Value) -> None:
    if isinstance(value, str):
        if len(value) > EVENT_TEXT_CHARS:
            raise Refused.at(path, f"has {len(value):,} characters; {EVENT_TEXT_CHARS} are allowed", EVENT_TEXT_CHARS)
    elif isinstance(value, float):
        finite(path, value)
    elif not -INT64_MAX - 1 <= value <= INT64_MAX:
        raise Refused.at(path, "integers must be below 2^63", INT64_MAX)


def _check_histogram(path: str, event: ObservationEvent) -> None:
    bounds, counts = event.bounds, event.counts
    if event.kind != "histogram":
        if bounds is not None or counts is not None:
            raise Refused.at(f"{path}.bounds", f"only a histogram has bounds and counts, not kind {event.kind}")
        return
    if bounds is None or counts is None:
        raise Refused.at(f"{path}.bounds", "a histogram needs bounds and counts")
    for bound in bounds:
        finite(f"{path}.bounds", bound)
    if any(left >= right for left, right in pairwise(bounds)):
        raise Refused.at(f"{path}.bounds", "must be strictly increasing")
    if len(counts) != len(bounds) + 1:
        raise Refused.at(
            f"{path}.counts", f"must have {len(bounds) + 1} entries, one more than bounds", len(bounds) + 1
        )
