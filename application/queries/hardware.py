"""Hardware over time, and which cards its numbers mean."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from application.ports.records import Where
from application.ports.series_view import Chart, InvalidCounts
from application.ports.views import Views
from application.projections.hardware import DEVICE
from application.queries.asked_attempt import chosen_attempt, in_attempt
from application.queries.hardware_key import hardware_key
from application.queries.moment import moment
from application.queries.page import Page, cursor_of, page_size, parts_of
from application.queries.series import BUCKETS_USUAL, charts
from application.series.shown import AS_REPORTED, Shown
from domain.ids import Attempt, RunId

_KIND = "hardware"


class HardwareSeries(msgspec.Struct, frozen=True, kw_only=True):
    """One hardware series in numbers."""

    key: str
    """`host/metric`."""
    count: int
    min: float | None
    max: float | None
    mean: float | None
    first: float | None
    last: float | None
    first_step: int | None
    """Steps are microseconds since the epoch."""
    last_step: int | None
    last_at: str | None
    invalid: InvalidCounts
    descriptor: dict[str, str] | None
    """`unit`, for the metrics that all clients measure alike; None for others."""


class HostDevices(msgspec.Struct, frozen=True, kw_only=True):
    """The cards of one host, as it last described them."""

    attempt: Attempt
    host: str
    pid: int | None
    gpu_uuids: dict[str, str]
    """Physical NVML index -> UUID."""
    gpu_attribution: str | None
    """How the process was matched to its cards: pid, sticky, mem or none; None where it did not say."""
    reported_at: str


def hardware_series(
    views: Views,
    run: RunId,
    *,
    q: str = "",
    attempt: int | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Page[HardwareSeries]:
    """Hardware series by key, those that contain `q` in any case. Raises `UnknownRun`, `UnknownThing`."""
    chosen = chosen_attempt(views, run, attempt)
    size = page_size(limit)
    after = parts_of(cursor, _KIND, tuple[str])[0] if cursor else None
    keys = views.hardware.keys(run, q=q, after=after, limit=size + 1)
    found = views.hardware.summaries(run, keys[:size], chosen) if keys else []
    items = [
        HardwareSeries(
            key=one.key,
            count=one.count,
            min=one.min,
            max=one.max,
            mean=one.mean,
            first=one.first,
            last=one.last,
            first_step=one.first_step,
            last_step=one.last_step,
            last_at=None if one.last_at is None else moment(one.last_at),
            invalid=one.invalid,
            descriptor=_descriptor(one.key),
        )
        for one in found
    ]
    return Page(items=items, next_cursor=cursor_of(_KIND, keys[size - 1]) if len(keys) > size else None)


def hardware_data(
    views: Views,
    run: RunId,
    keys: Sequence[str],
    *,
    attempt: int | None = None,
    buckets: int = BUCKETS_USUAL,
    first_step: int | None = None,
    last_step: int | None = None,
    shown: Shown = AS_REPORTED,
) -> dict[str, Chart]:
    """A chart of each of 1 to 32 `host/metric` keys; unknown ones are left out.

    Steps are microseconds since the epoch. Raises `UnknownRun`, `UnknownThing` for an unknown attempt, and `Refused`
    for too many keys or buckets.
    """
    found = charts(
        views.hardware,
        run,
        keys,
        attempt=chosen_attempt(views, run, attempt),
        buckets=buckets,
        first_step=first_step,
        last_step=last_step,
    )
    return {key: shown.of(chart) for key, chart in found.items()}


def hardware_devices(views: Views, run: RunId, *, attempt: int | None = None) -> list[HostDevices]:
    """The cards of every host, of all attempts unless one is asked for. Raises `UnknownRun`, `UnknownThing`."""
    chosen = chosen_attempt(views, run, attempt)
    return [
        HostDevices(
            attempt=one.attempt,
            host=one.devices.host,
            pid=one.devices.pid,
            gpu_uuids=one.devices.gpu_uuids,
            gpu_attribution=one.devices.gpu_attribution,
            reported_at=moment(one.reported_at),
        )
        for one in views.records.find(DEVICE, Where("run", "=", run), *in_attempt(chosen))
    ]


def _descriptor(key: str) -> dict[str, str] | None:
    unit = hardware_key(key).unit
    return None if unit is None else {"unit": unit}
