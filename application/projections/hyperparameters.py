"""How each attempt was configured: its snapshots, later keys over earlier ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from application.ports.event_log import RecordedEvent
from application.ports.records import Records, RecordTable
from application.projections.key_text import key_text
from application.projections.projection import Projection
from domain.events import Event, HyperparametersReported
from domain.ids import Attempt, Micros, RunId


class HyperparametersRecord(msgspec.Struct, frozen=True, kw_only=True):
    run: RunId
    attempt: Attempt
    params: dict[str, Any]
    reported_at: Micros
    """Of the latest snapshot."""
    versions: int
    """Different snapshots reported."""


class HyperparameterRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One key of an attempt's configuration, so that jobs can be put side by side by it."""

    run: RunId
    attempt: Attempt
    key: str
    """Of a map in a map: the keys with dots between them."""
    value: str | int | float | bool | None
    """The latest. A list is JSON; of a long text the beginning is kept, and `…`."""
    stands: bool = True
    """False where a later snapshot has another map in place of the one that held it."""


HYPERPARAMETERS = RecordTable(name="hyperparameters", record=HyperparametersRecord, key=("run", "attempt"))
HYPERPARAMETER = RecordTable(
    name="hyperparameter", record=HyperparameterRecord, key=("run", "attempt", "key"), indexes=(("key",),)
)
_TEXT_CHARS = 256


def project(recorded: RecordedEvent, event: Event, records: Records) -> None:
    """Merges one snapshot over what is known."""
    match event:
        case HyperparametersReported(run=run, attempt=attempt, params=params):
            known = records.get(HYPERPARAMETERS, run, attempt)
            record = HyperparametersRecord(
                run=run,
                attempt=attempt,
                params={**known.params, **params} if known else params,
                reported_at=recorded.recorded_at,
                versions=recorded.version,
            )
            records.put(HYPERPARAMETERS, record)
            replaced = {key: value for key, value in known.params.items() if key in params} if known else {}
            now = dict(_flat(params))
            for key, value in {**dict.fromkeys(dict(_flat(replaced))), **now}.items():
                one = HyperparameterRecord(run=run, attempt=attempt, key=key_text(key), value=value, stands=key in now)
                records.put(HYPERPARAMETER, one)
        case _:
            pass


def _flat(params: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str | int | float | bool | None]]:
    for key, value in params.items():
        match value:
            case dict():
                yield from _flat(value, f"{before}{key}.")
            case str():
                yield before + key, _short(value)
            case bool() | int() | float() | None:
                yield before + key, value
            case _:
                yield before + key, _short(msgspec.json.encode(value).decode())


def _short(text: str) -> str:
    return text if len(text) <= _TEXT_CHARS else text[:_TEXT_CHARS] + "…"


HYPERPARAMETERS_PROJECTION = Projection(
    name="hyperparameters",
    version=2,
    reads=(HyperparametersReported,),
    tables=(HYPERPARAMETERS, HYPERPARAMETER),
    project=project,
)
