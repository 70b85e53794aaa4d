"""An event whole, as a reader can check it: packed columns unpacked, losing reports decoded."""

from __future__ import annotations

from typing import Any

import msgspec

from application.ports.views import Views
from application.series.columns import unpack
from domain.events import Event, HardwareSampled, MetricsReported, ReportSetAside, SamplesReported, SeriesOpened, decode
from domain.events.series import Columns, Family
from domain.ids import RunId
from domain.series import series_stream

_HOLD_TEXT = (SamplesReported,)


def holds_text(said: Event | None) -> bool:
    """Whether validation text is part of it."""
    if isinstance(said, ReportSetAside):
        return holds_text(decode(said.reported_tag, said.reported))
    return isinstance(said, _HOLD_TEXT)


def event_body(views: Views, said: Event) -> dict[str, Any]:
    """All that was stored."""
    body: dict[str, Any] = msgspec.to_builtins(said)
    match said:
        case ReportSetAside(reported_tag=tag, reported=reported):
            body["reported"] = event_body(views, decode(tag, reported))
        case MetricsReported(columns=columns):
            body["columns"] = _series(columns, _keys(views, said.run, "scalar"))
        case HardwareSampled(columns=columns):
            body["columns"] = _series(columns, _keys(views, said.run, "hardware"))
        case _:
            pass
    return body


def _keys(views: Views, run: RunId, family: Family) -> dict[int, str]:
    """The run's series by number."""
    stream = views.log.stream(series_stream(run, family))
    opened = (decode(one.tag, one.payload) for one in stream if one.payload is not None)
    return {one.number: one.key for one in opened if isinstance(one, SeriesOpened)}


def _series(columns: Columns, keys: dict[int, str]) -> list[dict[str, Any]]:
    """The points of each series as a reader can check them."""
    batch = unpack(columns)
    result: list[dict[str, Any]] = []
    start = 0
    for number, count in zip(batch.numbers.tolist(), batch.counts.tolist(), strict=True):
        these = slice(start, start + count)
        start += count
        result.append(
            {
                "number": number,
                "key": keys.get(number),
                "steps": batch.steps[these].tolist(),
                "times": batch.times[these].tolist(),
                "values": batch.values[these].tolist(),
            }
        )
    return result
