"""Where a run ran: packages, devices, nodes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from application.ports.records import Where
from application.ports.views import Views
from application.projections.environment import ENVIRONMENT, NODE
from application.queries.asked_attempt import latest_attempt
from application.queries.config_diff import REDACTED, Leaf
from application.queries.csv_text import csv_lines, csv_text
from application.queries.moment import moment
from domain.ids import Attempt, RunId


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """The latest that was reported of one node."""

    node_id: str
    hostname: str | None
    cpu: Any
    """As reported; None where it was not."""
    gpu: Any
    reported_at: str


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """The surroundings of one attempt."""

    attempt: Attempt | None
    """None where the run has none yet."""
    overview: dict[str, Any] | None
    """None, as the two below, where no snapshot was reported."""
    hardware: dict[str, Any] | None
    packages: str | None
    """Lines of `name==version`."""
    reported_at: str | None
    versions: int
    """Different snapshots reported."""
    nodes: list[Node]


class GpuModel(msgspec.Struct, frozen=True, kw_only=True):
    """Devices that call themselves alike."""

    name: str
    memory_gb: float | None
    """Of one of them; None where it was not reported."""
    devices: int


def gpu_models(gpu: object) -> list[GpuModel]:
    """The devices of a machine by model, the most first; empty where none was described."""
    devices = gpu.get("devices") if isinstance(gpu, Mapping) else None
    known = Counter(
        (str(one["name"]), _number(one.get("memory_gb")))
        for one in (devices if isinstance(devices, list) else [])
        if isinstance(one, Mapping) and one.get("name")
    )
    return [GpuModel(name=name, memory_gb=memory, devices=many) for (name, memory), many in known.most_common()]


def packages(text: str) -> list[Leaf]:
    """Packages by name with their versions; lines that name no version as they are, with an empty one."""
    found: dict[str, Leaf] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, mark, version = _package(line)
        path = re.sub(r"[-_.]+", "-", name).lower() if mark else line
        found.setdefault(path, Leaf(path=path, kind="text", text=version, redacted=REDACTED in version))
    return [found[path] for path in sorted(found)]


def packages_csv(views: Views, run: RunId, *, attempt: int | None = None) -> Iterator[str]:
    """`name,version` as CSV (RFC 4180). Raises as `environment`, at once."""
    listed = packages(environment(views, run, attempt=attempt).packages or "")
    return csv_lines(("name", "version"), [(csv_text(one.path), csv_text(one.text)) for one in listed])


def environment(views: Views, run: RunId, *, attempt: int | None = None) -> Environment:
    """The environment of an attempt, without one of the latest. Raises `UnknownRun`, `UnknownThing`."""
    shown = latest_attempt(views, run, attempt)
    known = None if shown is None else views.records.get(ENVIRONMENT, run, shown)
    return Environment(
        attempt=shown,
        overview=known.overview if known else None,
        hardware=known.hardware if known else None,
        packages=known.packages if known else None,
        reported_at=moment(known.reported_at) if known else None,
        versions=known.versions if known else 0,
        nodes=[] if shown is None else _nodes(views, run, shown),
    )


def _nodes(views: Views, run: RunId, attempt: Attempt) -> list[Node]:
    return [
        Node(
            node_id=str(one.node.get("node_id", "")),
            hostname=one.node.get("hostname"),
            cpu=one.node.get("cpu"),
            gpu=one.node.get("gpu"),
            reported_at=moment(one.reported_at),
        )
        for one in views.records.find(NODE, Where("run", "=", run), Where("attempt", "=", attempt))
    ]


def _package(line: str) -> tuple[str, str, str]:
    """Name, what stands between, and version or source."""
    for mark in ("===", "==", " @ "):
        name, found, version = line.partition(mark)
        if found:
            return name.strip(), found, version.strip()
    return line, "", ""


def _number(said: object) -> float | None:
    return float(said) if isinstance(said, (int, float)) and not isinstance(said, bool) else None
