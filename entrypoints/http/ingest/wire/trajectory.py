"""`trajectory`: the retained text of one execution of one trial. The body is stored as canonical JSON."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from tuneplane.contract import (
    EVENT_NAME_CHARS,
    INT31_MAX,
    INT64_MAX,
    MESSAGE_CHARS,
    POLICY_CHARS,
    ROUND_ID_CHARS,
    TOOL_CALL_ID_CHARS,
    TRAJECTORY_BODY_BYTES,
    TRAJECTORY_BYTES,
    TRAJECTORY_MESSAGES,
    TRIAL_ID_CHARS,
    trajectory_id,
)

from application.commands.store_trajectory import body_key, digest_of
from domain.errors import Refused
from domain.events import TrajectoryStored
from domain.ids import Micros, RoundId, TrialId
from entrypoints.http.ingest.body import Body, Report
from entrypoints.http.ingest.guards import finite, name, optional_name
from entrypoints.http.ingest.source import Source

Count = Annotated[int, msgspec.Meta(ge=0, le=INT64_MAX)]
Amount = Annotated[float, msgspec.Meta(ge=0)]


class TraceMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    role: Literal["system", "user", "assistant", "tool"]
    content: Annotated[str, msgspec.Meta(max_length=MESSAGE_CHARS)]
    tool_name: str | None = None
    tool_call_id: str | None = None
    duration_ms: Amount | None = None
    tokens: Amount | None = None


class Trace(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """At most 1 MiB of JSON."""

    scope: Literal["validation", "training"]
    round_id: str
    trial_id: str
    trial_attempt: Annotated[int, msgspec.Meta(ge=0, le=INT31_MAX)]
    messages: Annotated[list[TraceMessage], msgspec.Meta(min_length=1, max_length=TRAJECTORY_MESSAGES)]
    total_messages: Count
    """Messages the execution had; `complete` means that all of them are here."""
    complete: bool
    capture_policy: Literal["all", "sampled"]
    termination: str | None = None
    collection_policy: str | None = None
    consumption_policy: str | None = None
    diagnostic: Literal["failure", "anomaly", "low_reward", "representative"] | None = None
    reward: float | None = None
    step: Count | None = None
    source_rows: Count | None = None
    roles_inferred: bool = False


class TrajectoryReport(Report, frozen=True, kw_only=True):
    trace: Trace


BODY = Body(TrajectoryReport, TRAJECTORY_BODY_BYTES)
_canonical = msgspec.json.Encoder(order="deterministic")


def canonical(trace: Trace) -> bytes:
    """The checked trace as the bytes that are stored: its identity's content."""
    name("trace.round_id", trace.round_id, ROUND_ID_CHARS)
    name("trace.trial_id", trace.trial_id, TRIAL_ID_CHARS)
    optional_name("trace.termination", trace.termination, POLICY_CHARS)
    optional_name("trace.collection_policy", trace.collection_policy, POLICY_CHARS)
    optional_name("trace.consumption_policy", trace.consumption_policy, POLICY_CHARS)
    finite("trace.reward", trace.reward)
    _check_total(trace)
    for at, message in enumerate(trace.messages):
        path = f"trace.messages[{at}]"
        optional_name(f"{path}.tool_name", message.tool_name, EVENT_NAME_CHARS)
        optional_name(f"{path}.tool_call_id", message.tool_call_id, TOOL_CALL_ID_CHARS)
        finite(f"{path}.duration_ms", message.duration_ms)
        finite(f"{path}.tokens", message.tokens)
    body = _canonical.encode(trace)
    if len(body) > TRAJECTORY_BYTES:
        raise Refused.at(
            "trace", f"has {len(body):,} bytes as JSON; {TRAJECTORY_BYTES:,} are allowed", TRAJECTORY_BYTES
        )
    return body


def event(trace: Trace, body: bytes, source: Source, expires_at: Micros) -> TrajectoryStored:
    """The fact that `body`, the canonical `trace`, is kept."""
    identity = trajectory_id(trace.scope, trace.round_id, trace.trial_id, trace.trial_attempt)
    digest = digest_of(body)
    return TrajectoryStored(
        run=source.run,
        attempt=source.attempt,
        trajectory_id=identity,
        scope=trace.scope,
        round_id=RoundId(trace.round_id),
        trial_id=TrialId(trace.trial_id),
        trial_attempt=trace.trial_attempt,
        total_messages=trace.total_messages,
        retained_messages=len(trace.messages),
        complete=trace.complete,
        capture_policy=trace.capture_policy,
        object_key=body_key(source.run, source.attempt, identity, digest),
        body_digest=digest,
        size_bytes=len(body),
        expires_at=expires_at,
        termination=trace.termination,
        collection_policy=trace.collection_policy,
        consumption_policy=trace.consumption_policy,
        diagnostic=trace.diagnostic,
        reward=trace.reward,
        step=trace.step,
        source_rows=trace.source_rows,
        roles_inferred=trace.roles_inferred,
    )


def _check_total(trace: Trace) -> None:
    kept = len(trace.messages)
    if trace.complete and trace.total_messages != kept:
        raise Refused.at("trace.total_messages", f"complete means that it is the {kept} messages sent", kept)
    if trace.total_messages < kept:
        raise Refused.at("trace.total_messages", f"must be at least the {kept} messages sent", kept)
