"""Observations of kind `scalar`: points that a collector read from a job's own files, with where they came from."""

from __future__ import annotations

from typing import Annotated

import msgspec
from tuneplane.contract import EVENT_TEXT_CHARS, INT64_MAX

from application.commands.report_collected_scalars import CollectedScalar
from domain.errors import Refused
from domain.events.series import Provenance
from entrypoints.http.ingest.guards import converted, finite, name, optional_name
from entrypoints.http.ingest.timestamps import micros

SOURCE_CHARS = 64
PRODUCER_CHARS = 128
SEGMENT_CHARS = 256


class ScalarValues(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Exactly the values of a scalar."""

    value: float
    source: str
    producer: str
    sequence: Annotated[int, msgspec.Meta(ge=0, le=INT64_MAX)]
    unit: str
    segment: str | None = None


def scalar(
    path: str, *, event_id: str, key: str, ts: str, step: int | None, values: dict[str, bool | int | float | str]
) -> CollectedScalar:
    """The point that the event carries."""
    if step is None:
        raise Refused.at(f"{path}.step", "a scalar needs a step")
    where = f"{path}.values"
    said: ScalarValues = converted(where, values, ScalarValues)
    finite(f"{where}.value", said.value)
    provenance = Provenance(
        source=name(f"{where}.source", said.source, SOURCE_CHARS),
        producer=name(f"{where}.producer", said.producer, PRODUCER_CHARS),
        sequence=said.sequence,
        unit=name(f"{where}.unit", said.unit, EVENT_TEXT_CHARS, least=0),
        segment=optional_name(f"{where}.segment", said.segment, SEGMENT_CHARS),
    )
    return CollectedScalar(
        id=event_id, key=key, step=step, value=said.value, time=micros(f"{path}.ts", ts), provenance=provenance
    )
