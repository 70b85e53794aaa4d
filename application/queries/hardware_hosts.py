"""Hosts of a run and their cards: what they are, as far as it was said, and what was last measured of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec

from application.ports.series_view import SeriesSummary
from application.ports.views import Views
from application.queries.asked_attempt import chosen_attempt, run_of
from application.queries.environment import Environment, environment
from application.queries.hardware import HostDevices, hardware_devices
from application.queries.hardware_key import HardwareKey, hardware_key
from application.queries.moment import moment, moment_or_none
from application.queries.page import Page, cursor_of, parts_of
from domain.ids import Micros, RunId
from domain.rules.host_silence import silent_since

_KIND = "hosts"
_SERIES = 400
"""Looked at for one page; hosts come whole."""


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """The last value of one series."""

    metric: str
    """Of a card without its number, as in `gpu.temp`."""
    value: float | None
    unit: str | None
    """None for metrics that nobody agreed on."""
    at: str | None
    """The host's clock."""


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """One GPU. None is unknown."""

    index: int
    """Physical NVML index."""
    uuid: str | None
    model: str | None
    memory_gb: float | None
    readings: list[Reading]
    last_at: str | None


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """One host. None is unknown."""

    host: str
    last_at: str | None
    """When the last sample was taken, the host's clock."""
    silent_since: str | None
    """The same, where samples should have come since."""
    driver: str | None
    gpu_attribution: str | None
    """How the job's process was matched to its cards: pid, sticky, mem or none."""
    readings: list[Reading]
    """Of the host itself."""
    cards: list[Card]
    """By index."""


class _Described(msgspec.Struct, frozen=True, kw_only=True):
    """What was said of a host's cards, in whatever form it was sent."""

    driver: str | None = None
    models: dict[int, str] = {}
    memory_gb: dict[int, float] = {}


def hardware_hosts(
    views: Views, run: RunId, *, now: Micros, attempt: int | None = None, cursor: str | None = None
) -> Page[Host]:
    """Hosts by name with the last of everything that they measured.

    Raises `UnknownRun`, `UnknownThing` for an attempt that was never opened, and `Refused` for a foreign cursor.
    """
    chosen = chosen_attempt(views, run, attempt)
    after = parts_of(cursor, _KIND, tuple[str])[0] if cursor else None
    keys = views.hardware.keys(run, after=after, limit=_SERIES + 1)
    page = _whole_hosts(keys)
    summaries = views.hardware.summaries(run, page, chosen) if page else []
    said = environment(views, run, attempt=attempt)
    devices = {one.host: one for one in hardware_devices(views, run, attempt=attempt)}
    record = run_of(views, run)
    under_way = record.status in {"starting", "running"} and chosen in {None, record.attempt}
    hosts = [
        _host(host, list(group), devices.get(host), _described(said, host), now=now, under_way=under_way)
        for host, group in groupby(summaries, key=lambda one: hardware_key(one.key).host)
    ]
    return Page(items=hosts, next_cursor=cursor_of(_KIND, page[-1]) if len(page) < len(keys) else None)


def _whole_hosts(keys: Sequence[str]) -> list[str]:
    """Those of the keys whose host has all of its keys among them; a host with more than a page has is cut."""
    if len(keys) <= _SERIES:
        return list(keys)
    last = hardware_key(keys[-1]).host
    whole = [key for key in keys if hardware_key(key).host != last]
    return whole or list(keys[:_SERIES])


def _host(
    host: str,
    series: Sequence[SeriesSummary],
    devices: HostDevices | None,
    said: _Described,
    *,
    now: Micros,
    under_way: bool,
) -> Host:
    named = [(hardware_key(one.key), one) for one in series]
    last_at = max((Micros(one.last_at) for one in series if one.last_at is not None), default=None)
    uuids = devices.gpu_uuids if devices else {}
    indexes = {key.card for key, _ in named if key.card is not None} | set(_indexes(uuids)) | set(said.models)
    return Host(
        host=host,
        last_at=moment_or_none(last_at),
        silent_since=moment_or_none(silent_since(last_at, now, under_way=under_way)),
        driver=said.driver,
        gpu_attribution=devices.gpu_attribution if devices else None,
        readings=_readings(named, None),
        cards=[_card(index, named, uuids, said) for index in sorted(indexes)],
    )


def _card(
    index: int, named: Sequence[tuple[HardwareKey, SeriesSummary]], uuids: dict[str, str], said: _Described
) -> Card:
    readings = _readings(named, index)
    return Card(
        index=index,
        uuid=uuids.get(str(index)),
        model=said.models.get(index),
        memory_gb=said.memory_gb.get(index),
        readings=readings,
        last_at=max((one.at for one in readings if one.at is not None), default=None),
    )


def _readings(named: Sequence[tuple[HardwareKey, SeriesSummary]], card: int | None) -> list[Reading]:
    return [
        Reading(
            metric=key.metric, value=one.last, unit=key.unit, at=None if one.last_at is None else moment(one.last_at)
        )
        for key, one in named
        if key.card == card
    ]


def _indexes(uuids: dict[str, str]) -> Iterator[int]:
    return (int(index) for index in uuids if index.isascii() and index.isdigit() and len(index) <= len("999999"))


def _described(said: Environment, host: str) -> _Described:
    """By the node of that name, else by the snapshot of the machine that calls itself so."""
    gpu = next((node.gpu for node in said.nodes if node.hostname == host), None)
    if gpu is None and (said.overview or {}).get("hostname") == host:
        gpu = (said.hardware or {}).get("gpu")
    if not isinstance(gpu, dict):
        return _Described()
    driver, devices = gpu.get("driver_version"), gpu.get("devices")
    cards = [one for one in devices if isinstance(one, dict)] if isinstance(devices, list) else []
    known = {one["index"]: one for one in cards if isinstance(one.get("index"), int)}
    return _Described(
        driver=driver if isinstance(driver, str) else None,
        models={index: one["name"] for index, one in known.items() if isinstance(one.get("name"), str)},
        memory_gb={
            index: float(one["memory_gb"])
            for index, one in known.items()
            if isinstance(one.get("memory_gb"), int | float) and not isinstance(one["memory_gb"], bool)
        },
    )
