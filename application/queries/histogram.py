"""Histograms of a run, as they were reported: the latest of each name, and one name over the steps.

Reports are never added up, and those of differing bounds stay apart: nobody knows how counts of other buckets would
have fallen. Source: SPEC "Events and distributions".
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from application.ports.records import Where
from application.ports.views import Views
from application.projections.observation import OBSERVATION, ObservationRecord
from application.queries.asked_attempt import chosen_attempt, in_attempt
from application.queries.moment import moment
from application.queries.observation import ObservedName
from application.queries.page import keyset, page_size
from domain.ids import Attempt, RunId

REPORTS = 256
"""In one answer, where nothing else is asked for."""


class HistogramReport(msgspec.Struct, frozen=True, kw_only=True):
    """One histogram."""

    position: int
    attempt: Attempt
    step: int | None
    policy_version: int | None
    recorded_at: str
    counts: list[int]
    """One for each interval of its set."""
    total: int
    """All counts together."""


class HistogramSet(msgspec.Struct, frozen=True, kw_only=True):
    """Reports of the same bounds."""

    bounds: list[int | float]
    intervals: list[str]
    """As people read them, `(1, 2]`: an upper bound belongs to its interval, and the last interval has none."""
    reports: list[HistogramReport]
    """By step, then attempt, then position; those without a step first."""


class HistogramHistory(msgspec.Struct, frozen=True, kw_only=True):
    """The latest reports of one name, or those before a cursor."""

    name: str
    sets: list[HistogramSet]
    """The set that was reported last comes first."""
    reported: int
    """Reports of this name in all."""
    next_cursor: str | None
    """Continues with earlier reports; None where there are none."""


class LatestHistogram(msgspec.Struct, frozen=True, kw_only=True):
    """The latest of its name."""

    name: str
    intervals: list[str]
    report: HistogramReport


def histogram_history(
    views: Views,
    run: RunId,
    name: str,
    *,
    attempt: int | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> HistogramHistory:
    """One name over the steps, of all attempts unless one is asked for. Raises as `observations`."""
    chosen = chosen_attempt(views, run, attempt)
    where = (Where("run", "=", run), Where("name", "=", name), Where("kind", "=", "histogram"), *in_attempt(chosen))
    size = page_size(limit, REPORTS)
    found, following = keyset(views.records, OBSERVATION, *where, descending=True, size=size, cursor=cursor)
    sets: dict[tuple[float, ...], list[ObservationRecord]] = {}
    for one in found:
        sets.setdefault(one.observation.bounds or (), []).append(one)
    return HistogramHistory(
        name=name,
        sets=[_set(bounds, reports) for bounds, reports in sets.items()],
        reported=views.records.count(OBSERVATION, *where),
        next_cursor=following,
    )


def latest_histograms(
    views: Views, run: RunId, names: Sequence[ObservedName], *, attempt: Attempt | None, limit: int
) -> list[LatestHistogram]:
    """The latest report of each of the first `limit` of `names` that has histograms."""
    asked = [one.name for one in names if "histogram" in one.kinds][:limit]
    where = (Where("run", "=", run), Where("kind", "=", "histogram"), *in_attempt(attempt))
    found = [
        views.records.find(OBSERVATION, *where, Where("name", "=", name), descending=True, limit=1) for name in asked
    ]
    return [_latest(record) for records in found for record in records]


def intervals(bounds: Sequence[float]) -> list[str]:
    """The names of the buckets between `bounds`."""
    edges = ["-∞", *(f"{bound:.12g}" for bound in bounds), "∞"]
    last = len(edges) - 2
    return [f"({edges[at]}, {edges[at + 1]}{')' if at == last else ']'}" for at in range(len(edges) - 1)]


def _latest(record: ObservationRecord) -> LatestHistogram:
    return LatestHistogram(
        name=record.name, intervals=intervals(record.observation.bounds or ()), report=_report(record)
    )


def _set(bounds: tuple[int | float, ...], reports: Sequence[ObservationRecord]) -> HistogramSet:
    ordered = sorted(reports, key=lambda one: (_step(one), one.attempt, one.position))
    return HistogramSet(bounds=list(bounds), intervals=intervals(bounds), reports=[_report(one) for one in ordered])


def _step(record: ObservationRecord) -> int:
    return -1 if record.observation.step is None else record.observation.step


def _report(record: ObservationRecord) -> HistogramReport:
    said = record.observation
    counts = list(said.counts or ())
    return HistogramReport(
        position=record.position,
        attempt=record.attempt,
        step=said.step,
        policy_version=said.policy_version,
        recorded_at=moment(record.recorded_at),
        counts=counts,
        total=sum(counts),
    )
