"""Observation events as the wire wants them, checked before they are queued."""

from __future__ import annotations

import json
import math
import re
import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from typing import Any

from tuneplane import contract
from tuneplane.flatten import as_number, as_step
from tuneplane.foreign import Foreign

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""What no id, name or key may hold: control characters, and halves of characters."""
_DIGEST = re.compile(contract.DIGEST_PATTERN)


class ObservationRefused(ValueError):
    """The observation breaks a rule of the wire contract."""


def now_iso() -> str:
    """The present moment as ISO-8601 with an offset."""
    return datetime.now(timezone.utc).isoformat()


def observation(  # noqa: PLR0913 - the fields of the event
    name: str,
    *,
    values: Mapping[str, Any] | None = None,
    step: Foreign = None,
    policy_version: Foreign = None,
    event_id: str | None = None,
    bounds: Iterable[float] | None = None,
    counts: Iterable[int] | None = None,
    kind: str | None = None,
    ts: str | None = None,
) -> dict[str, Any]:
    """An event, or a histogram where bounds or counts are given. Raises ObservationRefused.

    `ts` is when it happened, ISO-8601 with an offset; None is now.
    """
    histogram = bounds is not None or counts is not None
    event: dict[str, Any] = {
        "id": _text("id", event_id or uuid.uuid4().hex, contract.EVENT_ID_CHARS),
        "kind": kind or ("histogram" if histogram else "event"),
        "name": _text("name", name, contract.EVENT_NAME_CHARS),
        "ts": _text("ts", now_iso() if ts is None else ts, contract.EVENT_TS_CHARS),
    }
    if step is not None:
        event["step"] = as_step(step)
    if policy_version is not None:
        event["policy_version"] = as_step(policy_version)
    if values:
        event["values"] = _values(values)
    if histogram:
        event["bounds"], event["counts"] = _distribution(bounds, counts)
    if event_size(event) > contract.EVENT_BYTES:
        message = f"event {name!r:.200} is larger than {contract.EVENT_BYTES} bytes of JSON"
        raise ObservationRefused(message)
    return event


def event_size(event: Mapping[str, Any]) -> int:
    """Bytes of an event as compact UTF-8 JSON."""
    return len(json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode())


def population(round_id: str, expected: int, *, ts: str | None = None) -> dict[str, Any]:
    return _reserved(contract.POPULATION, round_id, (), ts, expected=_count("expected", expected))


def protocol(round_id: str, *, ts: str | None = None, **fields: str) -> dict[str, Any]:
    """`fields` are the four digests, `split` and `checkpoint`."""
    for name in contract.DIGEST_FIELDS:
        if not (isinstance(fields[name], str) and _DIGEST.match(fields[name])):
            message = f"{name} has to be 64 lowercase hex digits (a SHA-256)"
            raise ObservationRefused(message)
    for name in ("split", "checkpoint"):
        if not _text(name, fields[name], contract.PROTOCOL_TEXT_CHARS).strip():
            message = f"{name} is blank"
            raise ObservationRefused(message)
    return _reserved(contract.PROTOCOL, round_id, (), ts, **fields)


def validation_metric(round_id: str, key: str, value: Foreign, unit: str, *, ts: str | None = None) -> dict[str, Any]:
    number = as_number(value)
    if unit not in contract.METRIC_UNITS:
        message = f"unit {unit!r:.50} is none of {contract.METRIC_UNITS}"
        raise ObservationRefused(message)
    if not math.isfinite(number) or (unit == "ratio" and not 0 <= number <= 1):
        message = f"{number} is no value of a metric in unit {unit}"
        raise ObservationRefused(message)
    key = _text("key", key, contract.ROUND_ID_CHARS)
    return _reserved(contract.VALIDATION_METRIC, round_id, (key,), ts, key=key, value=number, unit=unit)


def outcome(
    round_id: str,
    trial_id: str,
    *,
    status: str,
    training_eligible: bool,
    trial_attempt: int,
    ts: str | None = None,
) -> dict[str, Any]:
    trial_id = _text("trial_id", trial_id, contract.TRIAL_ID_CHARS)
    if status not in contract.OUTCOME_STATUSES:
        message = f"status {status!r:.50} is none of {contract.OUTCOME_STATUSES}"
        raise ObservationRefused(message)
    flag: object = training_eligible
    if not isinstance(flag, bool):
        message = "training_eligible has to be True or False"
        raise ObservationRefused(message)
    if training_eligible and status in contract.NEVER_ELIGIBLE:
        message = f"a trial that is {status} is never eligible for training"
        raise ObservationRefused(message)
    attempt = _count("trial_attempt", trial_attempt)
    return _reserved(
        contract.OUTCOME,
        round_id,
        (trial_id, attempt),
        ts,
        trial_id=trial_id,
        trial_attempt=attempt,
        status=status,
        training_eligible=training_eligible,
    )


def trial_reason(
    round_id: str, trial_id: str, trial_attempt: int, reason: str, *, ts: str | None = None
) -> dict[str, Any]:
    """Why a trial attempt ended as it did, in 1 to 256 characters, for an outcome that no trajectory explains."""
    round_id = _text("round_id", round_id, contract.ROUND_ID_CHARS)
    trial_id = _text("trial_id", trial_id, contract.TRIAL_ID_CHARS)
    attempt = _count("trial_attempt", trial_attempt)
    values = {"round_id": round_id, "trial_id": trial_id, "trial_attempt": attempt}
    values["reason"] = _text("reason", reason, contract.POLICY_CHARS)
    event_id = contract.trial_reason_event_id(round_id, trial_id, attempt)
    return observation(contract.TRIAL_REASON, values=values, event_id=event_id, ts=ts)


def _reserved(name: str, round_id: str, parts: tuple[object, ...], ts: str | None, **values: Foreign) -> dict[str, Any]:
    round_id = _text("round_id", round_id, contract.ROUND_ID_CHARS)
    event_id = contract.validation_event_id(name, round_id, *parts)
    return observation(name, values={"round_id": round_id, **values}, event_id=event_id, ts=ts)


def _values(values: Mapping[str, Any]) -> dict[str, Any]:
    if len(values) > contract.EVENT_VALUES:
        message = f"{len(values)} values; at most {contract.EVENT_VALUES} are allowed"
        raise ObservationRefused(message)
    return {
        _text("key", str(key), contract.EVENT_VALUE_KEY_CHARS): _value(str(key), value) for key, value in values.items()
    }


def _value(key: str, value: Foreign) -> Foreign:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        if len(value) > contract.EVENT_TEXT_CHARS or not _encodes(value):
            message = f"the text of {key!r} is over {contract.EVENT_TEXT_CHARS} characters or no Unicode"
            raise ObservationRefused(message)
        return value
    if isinstance(value, int):
        if not -contract.INT64_MAX - 1 <= value <= contract.INT64_MAX:
            message = f"{key!r} is outside the range of integers"
            raise ObservationRefused(message)
        return int(value)
    number = as_number(value)
    if not math.isfinite(number):
        message = f"{key!r} is not finite"
        raise ObservationRefused(message)
    return number


def _distribution(bounds: Iterable[float] | None, counts: Iterable[int] | None) -> tuple[list[float], list[int]]:
    edges = [as_number(bound) for bound in bounds or ()]
    tallies = [as_step(count) for count in counts or ()]
    rising = all(low < high for low, high in zip(edges, edges[1:]))
    if not (1 <= len(edges) <= contract.HISTOGRAM_BOUNDS and all(map(math.isfinite, edges)) and rising):
        message = f"bounds have to be 1 to {contract.HISTOGRAM_BOUNDS} strictly increasing finite numbers"
        raise ObservationRefused(message)
    if len(tallies) != len(edges) + 1:
        message = f"{len(edges)} bounds need {len(edges) + 1} counts, there are {len(tallies)}"
        raise ObservationRefused(message)
    return edges, tallies


def _count(name: str, value: Foreign) -> int:
    number = as_step(value)
    if number > contract.INT31_MAX:
        message = f"{name} is over {contract.INT31_MAX}"
        raise ObservationRefused(message)
    return number


def _text(name: str, value: Foreign, longest: int) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= longest or CONTROL.search(value):
        message = f"{name} has to be text of 1 to {longest} characters without control characters"
        raise ObservationRefused(message)
    return value


def _encodes(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
