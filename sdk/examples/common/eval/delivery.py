"""Sending a snapshot to the job it is run in: population, protocol, outcomes, reasons, then text.

All of it may be sent again: the server knows each fact by its identity and counts it once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Callable

from tuneplane import observations
from tuneplane.bulk import TakesResults, send_observations

from common.eval.checked import Fields
from common.eval.refused import InputRefused
from common.eval.snapshot import SNAPSHOT_SCHEMA, content_digest, round_identity


def upload(bundle: Mapping[str, Any], reporter: TakesResults, sent: Callable[[int], None] = lambda _: None) -> None:
    """Sends a snapshot. `sent` is told the observations sent so far.

    Raises `InputRefused`, before anything is sent, for what is no snapshot or was changed since it was prepared, and
    `tuneplane.reporter.ReporterError` where the server refuses or cannot be reached: call it again then.
    """
    checked = _checked(bundle)
    try:
        events, texts = list(_events(checked)), list(_texts(checked))
    except (AttributeError, KeyError, TypeError, ValueError) as problem:
        raise InputRefused("snapshot", "", f"cannot be sent: {problem!r}") from None
    send_observations(reporter, events, sent)
    for text in texts:
        reporter.trajectory(text)


def _checked(bundle: Mapping[str, Any]) -> Mapping[str, Any]:
    fields = Fields("snapshot", "", bundle)
    if fields.values.get("schema") != SNAPSHOT_SCHEMA:
        raise InputRefused("snapshot", "schema", f"has to be {SNAPSHOT_SCHEMA}")
    try:
        digest = content_digest(fields.values)
    except (TypeError, ValueError, RecursionError):
        raise InputRefused("snapshot", "", "has to be JSON with finite numbers alone") from None
    told = (fields.values.get("content_digest"), fields.values.get("round_id"))
    if told != (digest, round_identity(str(fields.values.get("planned_round")), digest)):
        raise InputRefused(
            "snapshot", "content_digest", "does not fit the content: it was changed, so prepare it again"
        )
    return fields.values


def _events(bundle: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    round_id, prepared = bundle["round_id"], bundle["prepared_at"]
    yield observations.population(round_id, bundle["population"]["expected"], ts=prepared)
    yield observations.protocol(round_id, ts=prepared, **bundle["protocol"])
    for one in bundle["outcomes"]:
        yield observations.outcome(
            round_id,
            one["trial_id"],
            status=one["status"],
            training_eligible=one["training_eligible"],
            trial_attempt=one["trial_attempt"],
            ts=one["ts"] or prepared,
        )
    for one in bundle["outcomes"]:
        if one["reason"]:
            yield observations.trial_reason(
                round_id, one["trial_id"], one["trial_attempt"], one["reason"], ts=one["ts"] or prepared
            )


def _texts(bundle: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for kept in bundle["trajectories"]:
        fields = {key: value for key, value in kept.items() if key != "source_sha256"}
        yield {"scope": "validation", "round_id": bundle["round_id"], **fields}
